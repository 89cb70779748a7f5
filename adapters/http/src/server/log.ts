import { join } from 'node:path'
import { destination, type Logger, pino, stdSerializers } from 'pino'
import type { Config } from '../config/config.ts'

/** Bytes that wait while the log cannot be written; what is logged beyond them is dropped. */
const MOST_WAITING = 2 ** 20

/** Lines of JSON on standard error, or in a file of the log folder. What could hold a key is left out wherever it lies. */
export function openLog({ logLevel, logFolder }: Pick<Config, 'logLevel' | 'logFolder'>): Logger {
  // Written at once: what was logged before a crash tells its cause.
  const target =
    logFolder === undefined ? { fd: 2 } : { dest: join(logFolder, 'findling-http.log'), mkdir: true }
  const file = destination({ ...target, sync: true, minLength: 1, maxLength: MOST_WAITING })
  // Otherwise nothing would be written again: a line that is dropped does not try to write those that wait.
  file.on('drop', () => file.flush())
  // Without a listener, whoever logs a line fails with it: on a full disk, every request.
  let isTold = false
  file.on('error', ({ message }: Error) => {
    if (!isTold && logFolder !== undefined) process.stderr.write(`The log cannot be written: ${message}\n`)
    isTold = true
  })
  file.on('drain', () => {
    isTold = false
  })
  return pino(
    {
      level: logLevel,
      base: null,
      // As pino does for `err`: the engine names it so, and of an error JSON has no message.
      serializers: { error: stdSerializers.err },
      redact: {
        paths: ['secret', '*.secret', 'authorization', '*.authorization', '*.headers'],
        remove: true,
      },
    },
    file,
  )
}
