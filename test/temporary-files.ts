import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const IN_MEMORY = '/dev/shm'
const NEEDED = 4 * 2 ** 30

/**
 * One folder for the temporary files of all tests, which is gone after them. It lies in memory where there is room:
 * waiting for disks would be a good part of the time, and what a killed process leaves is the same.
 */
export default function setup(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined) return undefined
  const folder = mkdtempSync(join(hasRoom() ? IN_MEMORY : tmpdir(), 'findling-tests-'))
  // A server that gives up its rights must get through to what is its own.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return Math.min(freemem(), bavail * bsize) > NEEDED
  } catch {
    return false // there is no such place
  }
}
