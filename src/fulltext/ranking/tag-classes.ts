import type { TextColumn } from '../segments/columns/column.ts'
import type { Columns } from '../segments/columns/columns.ts'

/** The classes of the documents of a segment, from their tags. */
export interface SegmentClasses {
  /** Where the tags of each document begin; those of document `d` are at `starts[d]..starts[d + 1]`. */
  readonly starts: Uint32Array
  /** The class of each tag; -1 for none. */
  readonly classes: Int32Array
}

/** What a query is about, in terms of classes of documents. */
export interface CategoryShares {
  /** By class: its probability, 0 to 1. */
  readonly shares: Float64Array
  readonly classes: TagClasses
}

/** The class of each tag, looked up once per segment. */
export class TagClasses {
  readonly #field: string
  readonly #classes: ReadonlyMap<string, number>
  readonly #known = new WeakMap<Columns, SegmentClasses | null>()

  /** @param field the path of the tags @param classes by tag */
  constructor(field: string, classes: ReadonlyMap<string, number>) {
    this.#field = field
    this.#classes = classes
  }

  /** Null where no document of the segment has tags. */
  in(columns: Columns): SegmentClasses | null {
    const known = this.#known.get(columns)
    if (known !== undefined) return known
    const found = this.#find(columns)
    this.#known.set(columns, found)
    return found
  }

  #find(columns: Columns): SegmentClasses | null {
    const column = columns.find(this.#field, 'tags')
    if (!column) return null
    const ofTag = this.#ofTags(column)
    const classes = new Int32Array(column.ordinals.length)
    for (let place = 0; place < classes.length; place++) classes[place] = ofTag[column.ordinals[place]!]!
    return { starts: column.starts, classes }
  }
  /** Looks up the smaller set, tags of the segment or of classes, in the larger: a document may bring a great many tags. */
  #ofTags({ texts, distinct }: TextColumn): Int32Array {
    const ofTag = new Int32Array(distinct).fill(-1)
    if (distinct <= this.#classes.size) {
      for (let tag = 0; tag < distinct; tag++) ofTag[tag] = this.#classes.get(texts.text(tag)) ?? -1
      return ofTag
    }
    for (const [id, one] of this.#classes) {
      const tag = texts.find(id)
      if (tag >= 0) ofTag[tag] = one
    }
    return ofTag
  }
}
