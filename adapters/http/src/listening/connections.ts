import { readFileSync } from 'node:fs'
import type { Server } from 'node:net'
import type { Logger } from '../request/log.ts'

/** Each takes some memory, however idle it is. */
const MOST_CONNECTIONS = 10_000

/** Milliseconds between two warnings. */
const TELL_EVERY = 60_000

/**
 * How many connections a process may hold that may have this many files open: half of them, since a database that cannot open
 * a file has failed.
 */
export function mostConnections(files: number | undefined): number {
  return Math.min(MOST_CONNECTIONS, Math.floor((files ?? Number.POSITIVE_INFINITY) / 2))
}

/** How many files this process may have open; undefined where there is no such limit, or nobody tells. */
export function mostOpenFiles(): number | undefined {
  try {
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return most === undefined ? undefined : Number(most)
  } catch {
    return undefined
  }
}

/** Closes connections beyond these as soon as they come, and says so from time to time. */
export function limitConnections(server: Server, most: number, logger: Logger | undefined): void {
  server.maxConnections = most
  let told = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    if (performance.now() - told < TELL_EVERY) return
    told = performance.now()
    logger?.warn({ most }, 'too many connections: further ones are closed at once')
  })
}
