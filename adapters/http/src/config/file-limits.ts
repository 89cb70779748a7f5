import type { Config } from './config.ts'

/** What the settings say of how much a file may take that is read, as the engine takes it. */
export function fileLimits(
  config: Pick<Config, 'fileTimeoutMs' | 'fileMemoryMb' | 'fileUnpackedMb' | 'fileCharacters'>,
) {
  return {
    timeLimitMs: config.fileTimeoutMs,
    memoryLimit: config.fileMemoryMb * 2 ** 20,
    unpackedLimit: config.fileUnpackedMb * 2 ** 20,
    textLimit: config.fileCharacters,
  }
}
