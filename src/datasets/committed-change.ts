import type { JsonObject } from '../json.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'
import type { Change, ChangeKind } from '../store/transaction.ts'
import { documentIn } from './record.ts'

/** What happened to one document. The previous version is parsed from its stored bytes on demand. */
export class CommittedChange implements Change {
  readonly dataset: DatasetNumber
  readonly seq: number
  readonly id: string
  readonly kind: ChangeKind
  readonly document: Readonly<JsonObject> | null
  readonly patched: Readonly<JsonObject> | undefined
  readonly #before: Uint8Array | undefined

  /** @param before the sealed value that was stored under the id */
  constructor(
    { dataset, seq, id, kind, document, patched }: Omit<Change, 'before'>,
    before: Uint8Array | undefined,
  ) {
    this.dataset = dataset
    this.seq = seq
    this.id = id
    this.kind = kind
    this.document = document
    this.patched = patched
    this.#before = before
  }

  get before(): Readonly<JsonObject> | null {
    if (this.patched) return this.patched
    return this.#before ? documentIn(this.#before) : null
  }
}
