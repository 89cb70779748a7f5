import { type JsonObject, toJsonObject } from '../json.ts'
import {
  type DocumentsContext,
  type DocumentWrite,
  insertion,
  type MaybePromise,
  patching,
  replacing,
} from './writes.ts'

export const writeModes = ['upsert', 'insert', 'update'] as const
export type WriteMode = (typeof writeModes)[number]

/** How the documents of one import are written, and what was there before. */
export class ImportWrites {
  readonly #context: DocumentsContext
  readonly #mode: WriteMode
  /** Documents that had the id of another one. */
  replaced = 0
  /** Documents that were to be changed and are as they were. */
  unchanged = 0

  constructor(context: DocumentsContext, mode: WriteMode) {
    this.#context = context
    this.#mode = mode
  }

  prepare(document: unknown): MaybePromise<DocumentWrite> {
    if (this.#mode === 'insert') return insertion(this.#context, document)
    if (this.#mode === 'update') return this.#update(document)
    return replacing(this.#context, document, isThere => {
      if (isThere) this.replaced++
    })
  }

  #update(input: unknown): MaybePromise<DocumentWrite> {
    const { state, limits } = this.#context
    const given = toJsonObject(input, '', 'INVALID_DOCUMENT', limits)
    const id = state.rules.documentId(given)
    const same = () => {
      this.unchanged++
    }
    return patching(this.#context, id, without(given, state.settings.idField), { same })
  }
}

function without(document: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([member]) => member !== name))
}
