import type { Writable } from 'node:stream'
import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { Observation, Observer } from './observation.ts'

/** What `queryLog()` takes, all of it optional. */
export interface QueryLogOptions {
  /** Which observations are logged. Default: all but `write`. */
  types?: readonly Observation['type'][]
  /** Bytes that may be pending for a slow stream; beyond that, observations are dropped. Default 1 MB. */
  buffer?: number
}

const types = ['search', 'list', 'completion', 'suggestion', 'recommendation', 'similar', 'write'] as const

const options = z.strictObject({
  types: z.array(z.enum(types)).default(types.filter(type => type !== 'write')),
  buffer: z
    .int()
    .min(0)
    .default(2 ** 20),
})

const writable = z.custom<Writable>(
  value => typeof value === 'object' && value !== null && 'write' in value && 'writableLength' in value,
  'a writable stream',
)

const LONGEST_TEXT = 1000
const LONGEST_LIST = 1000
/** Maximum number of characters of all texts in a line. */
const MOST_TEXT = 100_000

/**
 * An observer that writes each observation as one line of JSON, with the first 1,000 characters of each text and the first
 * 1,000 entries of each list. While the stream is too slow, observations are dropped; the line
 * `{"type":"dropped","observations":3}` says how many. You end the stream yourself; once it has failed or ended, nothing more
 * is written to it, which is logged once.
 * @throws FindlingError INVALID_ARGUMENT
 */
export function queryLog(stream: Writable, given: QueryLogOptions = {}): Observer {
  const target = parseInput(writable, stream, 'stream')
  const { types, buffer } = parseInput(options, given, 'options')
  const wanted = new Set<string>(types)
  let dropped = 0
  let isOver = false
  let failure: unknown
  const tellDropped = () => {
    if (dropped === 0 || isOver) return
    target.write(`{"type":"dropped","observations":${dropped}}\n`)
    dropped = 0
  }
  target.on('drain', tellDropped)
  // Without a listener, an error would end the process.
  target.on('error', error => {
    failure = error
  })
  return observation => {
    if (isOver || !wanted.has(observation.type)) return
    if (target.destroyed || target.writableEnded) {
      isOver = true
      throw new FindlingError('CLOSED', 'The stream of the query log has failed or ended.', {}, failure)
    }
    if (target.writableLength > buffer) {
      dropped++
      return
    }
    tellDropped()
    target.write(lineOf(observation))
  }
}

function lineOf(observation: Observation): string {
  let left = MOST_TEXT
  const line = JSON.stringify(observation, (_, value: unknown) => {
    if (Array.isArray(value)) return value.length > LONGEST_LIST ? value.slice(0, LONGEST_LIST) : value
    if (typeof value !== 'string') return value
    const text = value.slice(0, Math.min(LONGEST_TEXT, left))
    left -= text.length
    return text
  })
  return `${line}\n`
}
