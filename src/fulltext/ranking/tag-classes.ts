import type { TextColumn } from '../segments/columns/column.ts'
import type { Columns } from '../segments/columns/columns.ts'

/** The classes that the documents of a segment belong to, by their tags. */
export interface SegmentClasses {
  /** By tag of a document, those of document `d` being at `starts[d]..starts[d + 1]`. */
  readonly starts: Uint32Array
  /** Which class that is, -1 for none. */
  readonly classes: Int32Array
}

/** What a query is about, in classes that documents belong to. */
export interface CategoryShares {
  /** By class how likely it is, 0 to 1. */
  readonly shares: Float64Array
  readonly classes: TagClasses
}

/** Which class each tag belongs to, found out once for each segment. */
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
  /** Whichever are fewer, tags of the segment or of classes, are looked for among the others: a document may bring very many. */
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
