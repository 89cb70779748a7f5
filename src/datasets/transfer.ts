import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { parseInput, readingList } from '../input.ts'
import type { Job, JobBody, JobOptions } from '../jobs/job.ts'
import { jobOptions } from '../jobs/watching.ts'
import { toJsonObject } from '../json.ts'
import { atOnce } from '../scheduling/at-once.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { documentKey } from '../store/keyspace.ts'
import { attachedTexts, holdsFiles, pathTexts, withFileTexts } from './attachments.ts'
import type { TransferOperation } from './job-steps.ts'
import { documentIn, seqIn } from './record.ts'
import { checkId, idText } from './schema/ids.ts'
import { type DocumentsContext, type OwnerOptions, ownerMember } from './writes.ts'

/** The result of a copy or a move. */
export interface TransferReport {
  /** Documents that arrived. */
  transferred: number
  /** Number of given ids that the source does not have; they do not count as failures. */
  missing: number
  /** Documents that the target refused; a move leaves them in the source. */
  failed: { id: string; code: string; message: string }[]
}

const CHUNK = 200
/** Maximum size of the documents of one step; a larger document is a step of its own. */
const STEP_BYTES = 2 ** 20
const transferOptions = jobOptions.extend(ownerMember)
const idList = z.array(z.union([z.string(), z.number()])).min(1)

/** Copy and move: step by step, each document arriving and leaving in one commit. */
export function transferring(
  source: DocumentsContext,
  ids: readonly (string | number)[],
  into: DocumentsContext,
  options: JobOptions & OwnerOptions,
  type: TransferOperation['type'],
): Job<TransferReport> {
  const { owner, ...watch } = parseInput(transferOptions, options, 'options')
  const target = { ...into, owner }
  const given = [...new Set(atOnce(readingList(idList, ids, 'ids')).map(wantedId))]
  const wanted = given.filter(id => idText(id) !== undefined)
  if (source.state.dataset === target.state.dataset) throw sameDataset(source.state.name, 'target')
  const body: JobBody<TransferReport> = async function* ({ signal }) {
    const transfers = new Transfers(source, target, type)
    transfers.report.missing = given.length - wanted.length
    for (let at = 0; at < wanted.length; at += CHUNK) {
      source.state.assertThere()
      target.state.assertThere()
      await transfers.take(wanted.slice(at, at + CHUNK), signal)
      yield {
        done: Math.min(at + CHUNK, wanted.length),
        total: wanted.length,
        phase: type === 'move' ? 'moving' : 'copying',
      }
    }
    return transfers.report
  }
  const description = `${type === 'move' ? 'Moving' : 'Copying'} from ${source.state.name} to ${target.state.name}`
  return source.jobs.start(type, description, body, {
    ...watch,
    datasets: [source.state.name, target.state.name],
  })
}

/** A text that no document can have as its id is as missing as any other; a number is refused, as it may have lost digits. */
const wantedId = (id: string | number, place: number): string =>
  typeof id === 'string' ? id : checkId(id, `ids[${place}]`)

type Transfer = Omit<TransferOperation, 'type' | 'dataset' | 'to'> & { readonly id: string }

/** The documents of one copy or move, and what became of them. */
class Transfers {
  readonly #source: DocumentsContext
  readonly #target: DocumentsContext
  readonly #type: TransferOperation['type']
  readonly report: TransferReport = { transferred: 0, missing: 0, failed: [] }

  constructor(source: DocumentsContext, target: DocumentsContext, type: TransferOperation['type']) {
    this.#source = source
    this.#target = target
    this.#type = type
  }

  async take(ids: readonly string[], signal: AbortSignal): Promise<void> {
    let left = ids
    while (left.length > 0 && !signal.aborted) left = await this.#takeOnce(left, signal)
  }

  /** Returns the ids of documents that were changed before their turn came. */
  async #takeOnce(ids: readonly string[], signal: AbortSignal): Promise<string[]> {
    const values = await this.#source.store.getMany(
      ids.map(id => documentKey(this.#source.state.dataset, id)),
    )
    const prepared = await this.#prepare(ids, values)
    const stale: string[] = []
    let step: Transfer[] = []
    let bytes = 0
    for (const { transfer, weight } of prepared) {
      if (step.length > 0 && bytes + weight > STEP_BYTES) {
        stale.push(...(await this.#write(step)))
        if (signal.aborted) return []
        step = []
        bytes = 0
      }
      step.push(transfer)
      bytes += weight
    }
    if (step.length > 0) stale.push(...(await this.#write(step)))
    return stale
  }

  async #prepare(
    ids: readonly string[],
    values: readonly (Uint8Array | undefined)[],
  ): Promise<{ transfer: Transfer; weight: number }[]> {
    const stretch = new Stretch()
    const preparing: Promise<{ transfer: Transfer; weight: number }>[] = []
    const prepared: string[] = []
    for (const [i, id] of ids.entries()) {
      const value = values[i]
      if (!value) {
        this.report.missing++
        continue
      }
      if (stretch.isOver) await stretch.pause()
      const one = this.#transferOf(id, value).then(transfer => ({ transfer, weight: value.byteLength }))
      one.catch(() => {}) // told below
      preparing.push(one)
      prepared.push(id)
    }
    const settled = await Promise.allSettled(preparing)
    return settled.flatMap((one, i) => {
      if (one.status === 'fulfilled') return [one.value]
      this.#refused(prepared[i]!, one.reason)
      return []
    })
  }

  /** If the target may give it another id, or has fields for files, the transfer is of the one version that was read. */
  async #transferOf(id: string, value: Uint8Array): Promise<Transfer> {
    const [source, target] = [this.#source.state, this.#target.state]
    const { root } = target.schema
    const sameIds = source.settings.idField === target.settings.idField && !target.isTyped
    if (sameIds && !holdsFiles(root)) return { id }
    const document = documentIn(value)
    const known = attachedTexts(source.schema.root, document)
    const transferOf = (given: unknown, read: ReadonlyMap<string, string>): Transfer => {
      const admitted = target.admit(toJsonObject(given, '', 'INVALID_DOCUMENT', this.#target.limits))
      const texts = pathTexts(root, admitted, new Map([...read].filter(([content]) => !known.has(content))))
      return { id, as: target.rules.documentId(admitted), ifSeq: seqIn(value), ...(texts && { texts }) }
    }
    return await withFileTexts<Transfer>(this.#target, document, transferOf, { known })
  }

  async #write(step: readonly Transfer[]): Promise<string[]> {
    const { steps, owner = '', state } = this.#target
    const [dataset, to] = [this.#source.state.name, state.name]
    const operations = step.map(transfer => ({ type: this.#type, dataset, to, ...transfer }))
    const stale: string[] = []
    for (const [i, { error }] of (await steps.write(operations, owner)).entries()) {
      const { id } = step[i]!
      if (!error) this.report.transferred++
      else if (error.code === 'SEQUENCE_MISMATCH') stale.push(id)
      else if (error.code === 'DOCUMENT_NOT_FOUND') this.report.missing++
      else this.#refused(id, error)
    }
    return stale
  }

  #refused(id: string, error: unknown): void {
    if (!(error instanceof FindlingError) || error.code === 'CLOSED' || error.code === 'STORE_FAILED')
      throw error
    this.report.failed.push({ id, code: error.code, message: error.message })
  }
}

/** A dataset is not its own target. @param field what names the target */
export function sameDataset(name: string, field: string): FindlingError {
  return new FindlingError('INVALID_ARGUMENT', `Source and target are the same dataset, ${name}.`, {
    field,
    received: name,
    expected: 'another dataset',
  })
}
