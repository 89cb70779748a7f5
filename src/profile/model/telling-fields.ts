import { hashOf } from '../../counting/hash.ts'

/** Documents with one tag that tell, and values of a field that are kept. */
const LOOKED_AT = 50_000
const MOST_VALUES = 20_000
/** A field tells the tag when most of its values come again, and then with the same tag. */
const REPEATED = 0.5
const TOLD = 0.8

interface Value {
  readonly tag: string
  documents: number
  sameTag: number
}

/** Finds fields that only say the tag in other words, such as the name of a category. */
export class TellingFields {
  readonly #fields: readonly string[]
  readonly #values: readonly Map<number, Value>[]
  readonly #tags = new Map<string, number>()
  #documents = 0

  constructor(fields: readonly string[]) {
    this.#fields = fields
    this.#values = fields.map(() => new Map())
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
      } else if (values.size < MOST_VALUES) values.set(hash, { tag, documents: 1, sameTag: 1 })
    }
  }

  get result(): string[] {
    if (this.#tags.size < 2) return []
    // What guessing the most frequent tag comes to.
    const most = Math.max(...this.#tags.values()) / this.#documents
    return this.#fields.filter((_, i) => {
      let repeated = 0
      let sameTag = 0
      for (const { documents, sameTag: same } of this.#values[i]!.values()) {
        if (documents < 2) continue
        repeated += documents
        sameTag += same
      }
      if (repeated < REPEATED * this.#documents) return false
      return sameTag / repeated - most >= TOLD * (1 - most)
    })
  }
}
