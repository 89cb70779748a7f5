import type { Config } from './config.ts'

/** The limits on the size of documents as engine options. */
export function documentLimits(config: Pick<Config, 'maxDocumentMb' | 'maxDocumentValues'>): {
  readonly values: number
  readonly text: number
} {
  return { values: config.maxDocumentValues, text: config.maxDocumentMb * 2 ** 20 }
}
