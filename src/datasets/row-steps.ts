import { FindlingError } from '../errors.ts'
import { type JsonObject, jsonLength, toJsonObject } from '../json.ts'
import { documentKey } from '../store/keyspace.ts'
import { type FileTexts, pathTexts, withFileTexts } from './attachments.ts'
import type { RowWriter } from './bulk.ts'
import type { DocumentOperation, FileTextsByPath, WriteOutcome } from './job-steps.ts'
import { type DocumentsContext, type MaybePromise, type Written, withPatch } from './writes.ts'

export const writeModes = ['upsert', 'insert', 'update'] as const
export type WriteMode = (typeof writeModes)[number]

/** A row that is ready to become an operation: a document, or the patch of one. */
interface RowStep {
  readonly id: string
  readonly content: JsonObject
  readonly texts: FileTextsByPath | undefined
  readonly bytes: number
}

interface Placed {
  readonly place: number
  readonly row: RowStep
}

/** Writes rows as steps of a job. Which documents exist is looked up when a group is handed over. */
export class RowSteps implements RowWriter<RowStep> {
  readonly #context: DocumentsContext
  readonly #mode: WriteMode
  readonly #isCounted: boolean
  replaced = 0
  unchanged = 0

  /** @param isCounted whether replaced documents are counted */
  constructor(context: DocumentsContext, mode: WriteMode, { isCounted }: { isCounted: boolean }) {
    this.#context = context
    this.#mode = mode
    this.#isCounted = isCounted
  }

  prepare(input: unknown): MaybePromise<RowStep> {
    const { state, limits } = this.#context
    const given = toJsonObject(input, '', 'INVALID_DOCUMENT', limits)
    if (this.#mode === 'update') {
      const id = state.rules.documentId(given)
      const patch = withoutMember(given, state.settings.idField)
      state.rules.checkPatch(patch)
      return withPatch(this.#context, patch, (_, texts) => this.#stepOf(id, patch, patch, texts))
    }
    return withFileTexts(this.#context, given, (_, texts) => {
      const admitted = state.admit(given)
      return this.#stepOf(state.rules.documentId(admitted), given, admitted, texts)
    })
  }

  #stepOf(id: string, content: JsonObject, admitted: JsonObject, read: FileTexts): RowStep {
    const texts = pathTexts(this.#context.state.schema.root, admitted, read)
    const bytes = jsonLength(content) + (texts ? jsonLength(texts) : 0)
    return { id, content, texts, bytes }
  }

  async write(group: readonly (RowStep | FindlingError)[]): Promise<(Written | FindlingError)[]> {
    const results: (Written | FindlingError)[] = new Array(group.length)
    const step: Placed[] = []
    for (const [place, row] of group.entries()) {
      if (row instanceof FindlingError) {
        results[place] = row
        continue
      }
      step.push({ place, row })
    }
    await this.#hand(step, results)
    return results
  }

  async #hand(step: readonly Placed[], results: (Written | FindlingError)[]): Promise<void> {
    const there = await this.#there(step)
    if (step.length === 0) return
    const { steps, owner = '' } = this.#context
    const outcomes = await steps.write(
      step.map(({ row }) => this.#operationOf(row)),
      owner,
    )
    for (const [i, { place, row }] of step.entries()) {
      const outcome = outcomes[i]!
      const result = resultOf(outcome)
      results[place] = result
      if (!outcome.error && outcome.unchanged) this.unchanged++
      if (result instanceof FindlingError) continue
      if (there.has(row.id)) this.replaced++
      else if (this.#mode === 'upsert') there.add(row.id)
    }
  }

  /** If they are counted, the ids of the rows that replace a document. */
  async #there(step: readonly Placed[]): Promise<Set<string>> {
    const { store, state } = this.#context
    if (!this.#isCounted || this.#mode !== 'upsert') return new Set()
    const values = await store.getMany(step.map(({ row }) => documentKey(state.dataset, row.id)))
    return new Set(step.flatMap(({ row }, i) => (values[i] ? [row.id] : [])))
  }

  #operationOf({ id, content, texts }: RowStep): DocumentOperation {
    const dataset = this.#context.state.name
    const given = texts && { texts }
    if (this.#mode === 'update')
      return { type: 'update', dataset, id, patch: content, ifChanged: true, ...given }
    return { type: this.#mode, dataset, document: content, ...given }
  }
}

/** The outcome of a write of a document, which always has a change number. */
const resultOf = (outcome: WriteOutcome): Written | FindlingError =>
  outcome.error ?? { id: outcome.id, seq: outcome.seq ?? 0 }

export function withoutMember(document: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([member]) => member !== name))
}
