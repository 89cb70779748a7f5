import { FrequentValues } from '../../counting/frequent-values.ts'
import type { DatasetProfile, TagProfile } from './profile.ts'

export interface KnownTag {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
}

const MOST_USED = 10_000
const MOST_UNUSED = 1_000
const MOST_UNKNOWN = 100

/** Counts the tags of documents. */
export class TagProfiler {
  readonly #tags: ReadonlyMap<string, KnownTag>
  readonly #own = new Map<string, number>()
  readonly #below = new Map<string, number>()
  readonly #words = new Map<string, number>()
  readonly #wordsBelow = new Map<string, number>()
  readonly #unknown = new FrequentValues(10 * MOST_UNKNOWN)
  #tagged = 0
  #untagged = 0
  #several = 0

  constructor(tags: readonly KnownTag[]) {
    this.#tags = new Map(tags.map(tag => [tag.id, tag]))
  }

  /** Takes the tag ids of one document, and its number of words. */
  add(ids: ReadonlySet<string>, words: number): void {
    const above = new Set<string>()
    let known = 0
    for (const id of ids) {
      if (!this.#tags.has(id)) {
        this.#unknown.add(id)
        continue
      }
      known++
      increase(this.#own, id, 1)
      increase(this.#words, id, words)
      for (
        let at: string | null = id;
        at !== null && !above.has(at);
        at = this.#tags.get(at)?.parentId ?? null
      )
        above.add(at)
    }
    for (const id of above) {
      increase(this.#below, id, 1)
      increase(this.#wordsBelow, id, words)
    }
    if (known > 0) this.#tagged++
    else this.#untagged++
    if (known > 1) this.#several++
  }

  get result(): DatasetProfile['tags'] {
    const used: TagProfile[] = []
    const unused: string[] = []
    for (const tag of this.#tags.values()) {
      const documentsBelow = this.#below.get(tag.id) ?? 0
      if (documentsBelow > 0)
        used.push({
          ...tag,
          documents: this.#own.get(tag.id) ?? 0,
          documentsBelow,
          words: this.#words.get(tag.id) ?? 0,
          wordsBelow: this.#wordsBelow.get(tag.id) ?? 0,
        })
      else if (unused.length < MOST_UNUSED) unused.push(tag.id)
    }
    used.sort((a, b) => b.documentsBelow - a.documentsBelow || (a.id < b.id ? -1 : 1))
    const [tagged, untagged, several] = [this.#tagged, this.#untagged, this.#several]
    return {
      tagged,
      untagged,
      several,
      used: used.slice(0, MOST_USED),
      unused,
      unknown: this.#unknown.top(MOST_UNKNOWN),
    }
  }
}

function increase(counts: Map<string, number>, id: string, by: number): void {
  counts.set(id, (counts.get(id) ?? 0) + by)
}
