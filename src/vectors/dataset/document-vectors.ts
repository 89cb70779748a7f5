import { longListsIn } from '../../datasets/record.ts'
import type { VectorSetting } from '../../datasets/schema/vector-settings.ts'
import { vectorIn } from '../../datasets/vector-values.ts'
import type { Gathering } from '../../derived/gathered/gathered-documents.ts'
import type { JsonObject } from '../../json.ts'
import { directionOf } from '../model/direction.ts'
import { VectorList } from '../model/vector-list.ts'
import { SegmentNumbers } from './segment-numbers.ts'

/** The vectors of one field, and where they are in an index. */
export interface FieldVectors {
  readonly list: VectorList
  readonly numbers: SegmentNumbers
}

/** The vectors of all documents of a dataset, by field. */
export class DocumentVectors implements Gathering {
  readonly #settings: Readonly<Record<string, VectorSetting>>
  readonly #fields: ReadonlyMap<string, FieldVectors>
  /** By the path of the field, as long lists are stored. */
  readonly #lists: ReadonlyMap<string, VectorList>

  constructor(settings: Readonly<Record<string, VectorSetting>>) {
    this.#settings = settings
    this.#fields = new Map(
      Object.entries(settings).map(([field, { dimensions }]) => {
        const list = new VectorList(dimensions)
        return [field, { list, numbers: new SegmentNumbers(list) }]
      }),
    )
    this.#lists = new Map(
      Array.from(this.#fields, ([field, { list }]) => [JSON.stringify(field.split('.')), list]),
    )
  }

  get bytes(): number {
    return [...this.#fields.values()].reduce((sum, { list, numbers }) => sum + list.bytes + numbers.bytes, 0)
  }

  /** Whether it has the vectors that these settings name. */
  fits(settings: Readonly<Record<string, VectorSetting>>): boolean {
    return JSON.stringify(settings) === JSON.stringify(this.#settings)
  }

  field(name: string): FieldVectors | undefined {
    return this.#fields.get(name)
  }

  add(id: string, document: JsonObject): void {
    for (const [field, { list }] of this.#fields)
      setVector(list, id, vectorIn(document, field, list.dimensions))
  }

  addStored(id: string, payload: Buffer): boolean {
    const stored = longListsIn(payload)
    for (const path of this.#lists.keys()) if (!stored.has(path)) return false
    for (const [path, list] of this.#lists) {
      const numbers = stored.get(path)!
      setVector(list, id, numbers.length === list.dimensions ? numbers : undefined)
    }
    return true
  }

  remove(id: string): void {
    for (const { list } of this.#fields.values()) list.delete(id)
  }
}

function setVector(list: VectorList, id: string, vector: readonly number[] | undefined): void {
  const direction = vector && directionOf(vector)
  if (direction) list.set(id, direction)
  else list.delete(id)
}
