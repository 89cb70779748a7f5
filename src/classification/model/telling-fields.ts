import { hashOf } from '../../counting/hash.ts'

/** Maximum number of documents with one tag to examine, and of values kept per field and in all: these take some 20 MB at most. */
const LOOKED_AT = 50_000
const MOST_VALUES = 20_000
const MOST_OF_ALL = 200_000
/** A field gives away the tag if most of its values recur, and then with the same tag. */
const REPEATED = 0.5
const TOLD = 0.8

interface Value {
  readonly tag: string
  documents: number
  sameTag: number
}

/** A field whose value alone gives away the tag, and how reliably. */
export interface TellingField {
  readonly field: string
  /** Among documents whose value recurs, the share with the tag that the value has elsewhere: above 0.8, up to 1. */
  readonly share: number
}

/** Finds fields that only repeat the tag in other words, such as the name of a category. */
export class TellingFields {
  readonly #fields: readonly string[]
  readonly #values: readonly Map<number, Value>[]
  readonly #tags = new Map<string, number>()
  readonly #most: number
  #documents = 0

  constructor(fields: readonly string[]) {
    this.#fields = fields
    this.#values = fields.map(() => new Map())
    this.#most = Math.min(MOST_VALUES, Math.ceil(MOST_OF_ALL / fields.length))
  }

  /** @param texts by field */
  add(texts: readonly (string | string[] | undefined)[], tags: ReadonlySet<string>): void {
    const [tag] = tags
    if (tags.size !== 1 || tag === undefined || this.#documents === LOOKED_AT) return
    this.#documents++
    this.#tags.set(tag, (this.#tags.get(tag) ?? 0) + 1)
    for (const [i, values] of this.#values.entries()) {
      const text = texts[i]
      if (text === undefined || text === '') continue
      const hash = hashOf(typeof text === 'string' ? text : JSON.stringify(text))
      const value = values.get(hash)
      if (value) {
        value.documents++
        if (value.tag === tag) value.sameTag++
      } else if (values.size < this.#most) values.set(hash, { tag, documents: 1, sameTag: 1 })
    }
  }

  get result(): TellingField[] {
    if (this.#tags.size < 2) return []
    // What always guessing the most frequent tag would achieve.
    let most = 0
    for (const documents of this.#tags.values()) most = Math.max(most, documents / this.#documents)
    return this.#fields.flatMap((field, i) => {
      let repeated = 0
      let sameTag = 0
      for (const { documents, sameTag: same } of this.#values[i]!.values()) {
        if (documents < 2) continue
        repeated += documents
        sameTag += same
      }
      if (repeated < REPEATED * this.#documents) return []
      const share = sameTag / repeated
      return share - most >= TOLD * (1 - most) ? { field, share } : []
    })
  }
}
