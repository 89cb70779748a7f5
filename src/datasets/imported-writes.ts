import { toJsonObject } from '../json.ts'
import { type BulkRow, storingRows, writeRows } from './bulk.ts'
import { RowSteps, type WriteMode, withoutMember } from './row-steps.ts'
import {
  type DocumentsContext,
  type DocumentWrite,
  insertion,
  type MaybePromise,
  patching,
  replacing,
} from './writes.ts'

/** Writes the documents of one import, and counts those that existed before. */
export class ImportWrites {
  readonly #context: DocumentsContext
  readonly #mode: WriteMode
  readonly #steps: RowSteps | undefined
  #replaced = 0
  #unchanged = 0

  constructor(context: DocumentsContext, mode: WriteMode) {
    this.#context = context
    this.#mode = mode
    if (context.steps.areHandedOver) this.#steps = new RowSteps(context, mode, { isCounted: true })
  }

  /** Number of documents that replaced another one. */
  get replaced(): number {
    return this.#steps?.replaced ?? this.#replaced
  }

  /** Number of updated documents that stayed as they were. */
  get unchanged(): number {
    return this.#steps?.unchanged ?? this.#unchanged
  }

  async write(documents: readonly unknown[]): Promise<BulkRow[]> {
    const { state } = this.#context
    if (this.#steps) return await writeRows(state, documents, this.#steps)
    const rows = storingRows(this.#context, document => this.#prepare(document))
    return await writeRows(state, documents, rows)
  }

  #prepare(document: unknown): MaybePromise<DocumentWrite> {
    if (this.#mode === 'insert') return insertion(this.#context, document)
    if (this.#mode === 'update') return this.#update(document)
    return replacing(this.#context, document, isThere => {
      if (isThere) this.#replaced++
    })
  }

  #update(input: unknown): MaybePromise<DocumentWrite> {
    const { state, limits } = this.#context
    const given = toJsonObject(input, '', 'INVALID_DOCUMENT', limits)
    const id = state.rules.documentId(given)
    const same = () => {
      this.#unchanged++
    }
    return patching(this.#context, id, withoutMember(given, state.settings.idField), { same })
  }
}
