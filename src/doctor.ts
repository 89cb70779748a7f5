import * as z from 'zod'
import { recordIn } from './datasets/record.ts'
import type { DatasetState } from './datasets/state.ts'
import type { Derivatives } from './derived/derivatives.ts'
import type { Derived } from './derived/derived.ts'
import { FindlingError } from './errors.ts'
import { parseInput } from './input.ts'
import { abortSignal } from './jobs/watching.ts'
import { Stretch } from './scheduling/stretch.ts'
import { logEntry, readLogEntry } from './store/change-log.ts'
import { sealedValueOf, sumOf } from './store/checksum.ts'
import { type ContentSum, noContent, textOfContent, withContent } from './store/content-sum.ts'
import type { DatasetNumber } from './store/dataset-number.ts'
import {
  categoriesPrefix,
  changeKey,
  classifierPrefix,
  documentKey,
  INCIDENTS_KEY,
  indexPrefix,
  modelPrefix,
  rankingPrefix,
  splitKey,
} from './store/keyspace.ts'
import { datasetEntry } from './store/manifest.ts'
import type { Store } from './store/store.ts'
import type { Mutation } from './store/transaction.ts'

/** What can be wrong in a store. */
export type FaultKind =
  /** Acknowledged changes are gone; this was found when the store was opened. */
  | 'lost-changes'
  /** A file of the database does not match its checksums; nothing else can be checked then. */
  | 'damaged-file'
  /** The database cannot read a part of its files; nothing else can be checked then. */
  | 'unreadable-part'
  /** The checksum of a value does not match its key and content. */
  | 'damaged-value'
  /** A scan finds a document, but a read by id does not. */
  | 'unreadable-document'
  /** A document is missing from the change log, or the change log has a document that does not exist. */
  | 'change-log'
  /** The number or digest of the documents, or the number of recorded removals, differs from what was acknowledged. */
  | 'counts'
  /** The index has other documents than the store, or cannot be loaded. */
  | 'index'
  /** The parent of a tag does not exist. */
  | 'tags'
  /** A key belongs to nothing known. */
  | 'stray-key'

/** One thing that is wrong in a store. */
export interface Fault {
  kind: FaultKind
  /** Name of the dataset concerned, if there is one. */
  dataset: string | null
  /** The details: a key, an id, two numbers. */
  subject: string
  message: string
  /** Whether a repair corrected it. A repair removes damaged documents, because they cannot be read. */
  repaired: boolean
}

/** What `engine.doctor()` found. */
export interface DoctorReport {
  /** Whether everything was compared and nothing is wrong. */
  ok: boolean
  datasets: number
  documents: number
  faults: Fault[]
  /** False when writes intervened: comparisons that require an unchanged store were then left out. */
  quiet: boolean
}

interface Patient {
  state: DatasetState
  derived: Pick<Derivatives, 'parts' | 'members'>
}

/** What the scan found in one dataset. */
interface Seen {
  /** Number of the last change of each document, until the change log has confirmed it. */
  unlogged: Map<string, number>
  ids: string[]
  digest: number
  content: ContentSum
  /** Number of removals in the change log. */
  tombstones: number
  tags: Map<string, string | null>
}

const doctorOptions = z.strictObject({
  repair: z.boolean().default(false),
  signal: abortSignal,
})
const READ_BATCH = 500
const ATTEMPTS = 3

/** Compares everything stored with everything else that is known about it. */
export class Doctor {
  readonly #store: Store
  readonly #patients: readonly Patient[]
  #faults: Fault[] = []
  #seen = new Map<DatasetNumber, Seen>()
  /** What a repair writes: a value, or undefined to delete the key. */
  #mend = new Map<string, Buffer | undefined>()
  #touched = new Set<DatasetNumber>()

  constructor(store: Store, patients: readonly Patient[]) {
    this.#store = store
    this.#patients = patients
  }

  async examine(options: {
    repair?: boolean | undefined
    signal?: AbortSignal | undefined
  }): Promise<DoctorReport> {
    const { repair, signal } = parseInput(doctorOptions, options, 'options')
    const damaged = await this.#store.damagedFiles()
    if (damaged.length > 0) return this.#withoutReading(damaged)
    // Loading an index may itself write; that is over before the examination begins.
    for (const member of this.#derived()) await member.settle().catch(() => undefined)
    let quiet = false
    for (let attempt = 0; attempt < ATTEMPTS && !quiet; attempt++) {
      const { seq } = this.#store
      await this.#look(signal)
      quiet = this.#store.seq === seq
      if (quiet && repair && this.#faults.length > 0) quiet = await this.#repair(seq)
    }
    const documents = [...this.#seen.values()].reduce((sum, { ids }) => sum + ids.length, 0)
    const faults = this.#faults
    return { ok: quiet && faults.length === 0, datasets: this.#patients.length, documents, faults, quiet }
  }

  /** The report for damaged files, without reading from them: LevelDB may crash the process over damage. */
  #withoutReading(damaged: readonly string[]): DoctorReport {
    const faults = damaged.map(message => fault('damaged-file', null, message.split(' ')[0]!, message))
    return { ok: false, datasets: this.#patients.length, documents: 0, faults, quiet: true }
  }

  #derived(): Derived[] {
    return this.#patients.flatMap(({ derived }) => derived.members)
  }

  async #look(signal: AbortSignal | undefined): Promise<void> {
    const { seq } = this.#store
    this.#faults = this.#store.incidents.map(message => fault('lost-changes', null, INCIDENTS_KEY, message))
    this.#mend = new Map()
    this.#touched = new Set()
    this.#seen = new Map(this.#patients.map(({ state }) => [state.dataset, nothingSeen()]))
    try {
      await this.#visitAll(signal)
      if (this.#store.seq !== seq) return
      for (const patient of this.#patients) await this.#compare(patient)
    } catch (error) {
      if (!isOfStore(error)) throw error
      this.#report('unreadable-part', undefined, '', error.message)
    }
  }

  async #visitAll(signal: AbortSignal | undefined): Promise<void> {
    const onDamage = (key: string) => this.#damaged(key)
    for await (const batch of this.#store.entries({}, { signal, onDamage })) {
      for (const [key, payload] of batch) this.#visit(key, payload)
    }
  }

  #visit(key: string, payload: Buffer): void {
    const { room, dataset, rest } = splitKey(key)
    if (dataset === undefined) {
      if (room === undefined || (room === 'm' && !this.#isOfModel(key))) this.#stray(key)
      return
    }
    const seen = this.#seen.get(dataset)
    if (!seen) this.#stray(key)
    else if (room === 'x' || room === 'c' || room === 'g' || room === 'r') this.#visitGeneration(dataset, key)
    else if (room === 'd') this.#visitDocument(seen, rest, payload, key)
    else if (room === 'l') this.#visitChange(dataset, seen, key, payload)
    else if (room === 't') {
      const { parentId } = JSON.parse(payload.toString()) as { parentId: string | null }
      seen.tags.set(rest, parentId)
    }
  }

  #isOfModel(key: string): boolean {
    return this.#store.manifest.services.some(({ id, model }) => key.startsWith(modelPrefix(id, model)))
  }

  #visitGeneration(dataset: DatasetNumber, key: string): void {
    const entry = datasetEntry(this.#store.manifest, dataset)
    if (!entry) return
    const named = [
      indexPrefix(dataset, entry.index),
      classifierPrefix(dataset, entry.classifier ?? 0),
      categoriesPrefix(dataset, entry.categories ?? 0),
      rankingPrefix(dataset, entry.ranking ?? 0),
    ]
    if (!named.some(prefix => key.startsWith(prefix))) this.#stray(key)
  }

  #visitDocument(seen: Seen, id: string, payload: Buffer, key: string): void {
    try {
      seen.unlogged.set(id, recordIn(payload).seq)
      seen.ids.push(id)
      seen.digest = (seen.digest + sumOf(sealedValueOf(payload))) >>> 0
      seen.content = withContent(seen.content, id, undefined, payload)
    } catch {
      this.#damaged(key)
    }
  }

  #visitChange(dataset: DatasetNumber, seen: Seen, key: string, payload: Buffer): void {
    const { id, kind, seq } = readLogEntry(key, payload)
    if (kind === 'removal') seen.tombstones++
    else if (seen.unlogged.get(id) === seq) seen.unlogged.delete(id)
    else {
      this.#report(
        'change-log',
        dataset,
        key,
        `The change log lists change ${seq} of document ${id}, but that is not the last change of the document.`,
      )
      this.#mend.set(key, undefined)
    }
  }

  #damaged(key: string): void {
    const { room, dataset } = splitKey(key)
    const what = room === 'd' ? 'The document' : 'The value'
    this.#report('damaged-value', dataset, key, `${what} ${key} is damaged and cannot be read.`)
    // Without its few single values a store does not open; each of them is replaced by its next write.
    if (room !== key) this.#mend.set(key, undefined)
  }

  #stray(key: string): void {
    if (this.#store.manifest.trash.some(prefix => key.startsWith(prefix))) return
    this.#report('stray-key', undefined, key, `The key ${key} does not belong to anything known.`)
    this.#mend.set(key, undefined)
  }

  async #compare({ state, derived }: Patient): Promise<void> {
    const { dataset } = state
    const seen = this.#seen.get(dataset)!
    for (const [id, seq] of seen.unlogged) {
      this.#report(
        'change-log',
        dataset,
        id,
        `Change ${seq} of document ${id} is missing from the change log.`,
      )
      this.#mend.set(changeKey(dataset, seq), logEntry({ id, kind: 'content' }))
    }
    const counts = this.#store.counts(dataset)
    const found = [seen.ids.length, seen.digest, seen.tombstones].join(' / ')
    const known = [counts.documents, counts.digest, counts.tombstones].join(' / ')
    const isSame = !counts.content || textOfContent(counts.content) === textOfContent(seen.content)
    if (found !== known || !isSame) {
      const message = `Documents, digest and recorded removals are ${found}, but ${known} were acknowledged.`
      this.#report('counts', dataset, found, message)
    }
    for (const [id, parent] of seen.tags) {
      if (parent !== null && !seen.tags.has(parent))
        this.#report('tags', dataset, id, `The parent ${parent} of tag ${id} does not exist.`)
    }
    await this.#compareReads(dataset, seen.ids)
    for (const [name, part] of Object.entries(derived.parts)) {
      for (const { subject, message } of await part.examine(seen.ids))
        this.#report(name as FaultKind, dataset, subject, message)
    }
  }

  /** A read by id goes through LevelDB's filters, a scan does not: both must find a document. */
  async #compareReads(dataset: DatasetNumber, ids: readonly string[]): Promise<void> {
    // Reading from a store in memory would never yield to the event loop.
    const stretch = new Stretch()
    for (let at = 0; at < ids.length; at += READ_BATCH) {
      if (stretch.isOver) await stretch.pause()
      const some = ids.slice(at, at + READ_BATCH)
      const values = await this.#store.getMany(some.map(id => documentKey(dataset, id)))
      for (let i = 0; i < some.length; i++) {
        if (!values[i])
          this.#report(
            'unreadable-document',
            dataset,
            some[i]!,
            `Document ${some[i]} is stored, but reading it by its id finds nothing.`,
          )
      }
    }
  }

  #report(kind: FaultKind, dataset: DatasetNumber | undefined, subject: string, message: string): void {
    const name = dataset === undefined ? undefined : datasetEntry(this.#store.manifest, dataset)?.name
    if (dataset !== undefined && name !== undefined) this.#touched.add(dataset)
    this.#faults.push(fault(kind, name ?? null, subject, message))
  }

  /**
   * Deletes what cannot be read, completes the change log, sets the counts and rebuilds the indexes concerned.
   * False when a write came after the examination, whose findings may then be outdated.
   */
  async #repair(seq: number): Promise<boolean> {
    if (this.#faults.some(({ kind }) => kind === 'unreadable-part')) return true
    if (this.#store.incidents.length > 0) {
      // Lost documents may still be in any index.
      for (const { state } of this.#patients) this.#touched.add(state.dataset)
    }
    if (!(await this.#store.write(this.#mending(seq)))) return false
    this.#store.forgetIncidents()
    for (const { state, derived } of this.#patients) {
      if (!this.#touched.has(state.dataset)) continue
      for (const member of derived.members) await member.rebuild()
    }
    for (const one of this.#faults) one.repaired = this.#mends(one)
    return true
  }

  #mends({ kind, subject }: Fault): boolean {
    return kind === 'damaged-value' ? this.#mend.has(subject) : !BEYOND_REPAIR.has(kind)
  }

  #mending(seq: number): Mutation<boolean> {
    const [mend, touched, seen] = [this.#mend, this.#touched, this.#seen]
    return {
      reads: [],
      bytes: 0,
      apply(transaction) {
        const own = transaction.nextSeq()
        if (own !== seq + 1) return false
        for (const [key, value] of mend) {
          if (value) transaction.put(key, value)
          else transaction.delete(key)
        }
        transaction.delete(INCIDENTS_KEY)
        for (const dataset of touched) {
          const { ids, digest, content, tombstones } = seen.get(dataset)!
          // Removals may be among the lost changes: readers of changes must read everything again.
          transaction.setCounts(dataset, {
            documents: ids.length,
            digest,
            content,
            tombstones,
            prunedSeq: own,
          })
        }
        return true
      },
    }
  }
}

/** These need another copy of the store, or somebody who knows what was meant. */
const BEYOND_REPAIR: ReadonlySet<FaultKind> = new Set(['unreadable-document', 'tags'])

const isOfStore = (error: unknown): error is FindlingError =>
  error instanceof FindlingError && (error.code === 'STORE_CORRUPT' || error.code === 'STORE_FAILED')

const fault = (kind: FaultKind, dataset: string | null, subject: string, message: string): Fault => ({
  kind,
  dataset,
  subject,
  message,
  repaired: false,
})

const nothingSeen = (): Seen => ({
  unlogged: new Map(),
  ids: [],
  digest: 0,
  content: noContent,
  tombstones: 0,
  tags: new Map(),
})
