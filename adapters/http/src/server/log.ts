import { join } from 'node:path'
import { destination, type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'

/** Lines of JSON on standard error, or in a file of the log folder. What could hold a key is left out wherever it lies. */
export function openLog({ logLevel, logFolder }: Pick<Config, 'logLevel' | 'logFolder'>): Logger {
  // Written at once: what was logged before a crash tells its cause.
  const target =
    logFolder === undefined ? { fd: 2 } : { dest: join(logFolder, 'findling-http.log'), mkdir: true }
  return pino(
    {
      level: logLevel,
      base: null,
      redact: {
        paths: ['secret', '*.secret', 'authorization', '*.authorization', '*.headers'],
        remove: true,
      },
    },
    destination({ ...target, sync: true }),
  )
}
