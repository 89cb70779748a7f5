import type { Config } from './config.ts'

/** What the settings say of the size of documents, as the engine takes it. */
export function documentLimits(config: Pick<Config, 'maxDocumentMb' | 'maxDocumentValues'>): {
  readonly values: number
  readonly text: number
} {
  return { values: config.maxDocumentValues, text: config.maxDocumentMb * 2 ** 20 }
}
