import type { Config } from './config.ts'

/** The limits for reading files as engine options. */
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
