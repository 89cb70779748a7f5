import { hashOf } from '../../counting/hash.ts'

/** Maximum number of different documents that are kept; duplicates of any others are not found. */
const MOST_KEPT = 1_000_000
/** If documents have fewer words, it is often a coincidence that they are the same. */
const LEAST_WORDS = 3
/** Maximum number of groups reported, and of ids in each. */
const MOST_GROUPS = 200
const MOST_IDS = 20

const ONCE = 1
const SAME_TAGS = 2
const OTHER_TAGS = 3

/** How many documents have the same words. */
export interface Repetitions {
  /** Groups of documents with the same words, and those of them whose documents have different tags. */
  readonly groups: number
  readonly acrossTags: number
  /** Whether all documents were examined. */
  readonly exact: boolean
  /** The hashes of the words whose documents are to be named. */
  readonly hashes: Float64Array
}

/** Finds documents with the same words, by a table of hashes that takes 13 bytes for each. */
export class SameWords {
  #hashes = new Float64Array(1 << 12)
  #tags = new Uint32Array(1 << 12)
  #states = new Uint8Array(1 << 12)
  #size = 0
  #isExact = true

  /** Takes the words of one document, as one hash, and their number. */
  add(hash: number, words: number, tags: ReadonlySet<string>): void {
    if (words < LEAST_WORDS) return
    const tag = hashOfTags(tags)
    const place = this.#placeOf(hash)
    if (this.#states[place] !== 0) {
      const isSame = this.#tags[place] === tag && this.#states[place] !== OTHER_TAGS
      this.#states[place] = isSame ? SAME_TAGS : OTHER_TAGS
      return
    }
    if (this.#size === MOST_KEPT) {
      this.#isExact = false
      return
    }
    this.#hashes[place] = hash
    this.#tags[place] = tag
    this.#states[place] = ONCE
    this.#size++
    if (this.#size * 2 > this.#states.length) this.#grow()
  }

  #placeOf(hash: number): number {
    const mask = this.#states.length - 1
    let place = hash % this.#states.length
    while (this.#states[place] !== 0 && this.#hashes[place] !== hash) place = (place + 1) & mask
    return place
  }

  #grow(): void {
    const [hashes, tags, states] = [this.#hashes, this.#tags, this.#states]
    const size = 2 * states.length
    this.#hashes = new Float64Array(size)
    this.#tags = new Uint32Array(size)
    this.#states = new Uint8Array(size)
    for (let i = 0; i < states.length; i++) {
      if (states[i] === 0) continue
      const place = this.#placeOf(hashes[i]!)
      this.#hashes[place] = hashes[i]!
      this.#tags[place] = tags[i]!
      this.#states[place] = states[i]!
    }
  }

  get result(): Repetitions {
    const [same, other]: [number[], number[]] = [[], []]
    for (let i = 0; i < this.#states.length; i++) {
      if (this.#states[i] === SAME_TAGS) same.push(this.#hashes[i]!)
      else if (this.#states[i] === OTHER_TAGS) other.push(this.#hashes[i]!)
    }
    return {
      groups: same.length + other.length,
      acrossTags: other.length,
      exact: this.#isExact,
      hashes: Float64Array.from([...least(other), ...least(same)]),
    }
  }
}

/** The choice does not depend on the order of documents. */
const least = (hashes: number[]): number[] => hashes.sort((a, b) => a - b).slice(0, MOST_GROUPS)

const hashOfTags = (tags: ReadonlySet<string>): number =>
  tags.size === 0 ? 0 : Math.floor(hashOf(JSON.stringify([...tags].sort())) / 2 ** 21)

/** Documents with the same words in their searched fields. */
export interface SameWordsGroup {
  /** Those found first. */
  readonly ids: readonly string[]
  /** The tags that any of them has. */
  readonly tagIds: readonly string[]
  readonly documents: number
  readonly words: number
  /** Whether they do not all have the same tags. */
  readonly isAcrossTags: boolean
}

interface Gathered {
  readonly ids: string[]
  readonly tags: Set<string>
  readonly first: string
  documents: number
  words: number
  isAcrossTags: boolean
}

/** Collects the ids of documents with the same words. */
export class SameWordsGroups {
  readonly #groups: ReadonlyMap<number, Gathered[]>

  constructor({ hashes }: Pick<Repetitions, 'hashes'>) {
    this.#groups = new Map(Array.from(hashes, hash => [hash, []]))
  }

  add(id: string, hash: number, words: number, tags: ReadonlySet<string>): void {
    const gathered = words < LEAST_WORDS ? undefined : this.#groups.get(hash)
    if (!gathered) return
    const told = JSON.stringify([...tags].sort())
    const group = gathered[0] ?? {
      ids: [],
      tags: new Set(),
      first: told,
      documents: 0,
      words,
      isAcrossTags: false,
    }
    gathered[0] = group
    group.documents++
    if (group.ids.length < MOST_IDS) group.ids.push(id)
    if (told !== group.first) group.isAcrossTags = true
    for (const tag of tags) if (group.tags.size < MOST_IDS) group.tags.add(tag)
  }

  /** Groups across tags come first, then those with the most documents. */
  get result(): SameWordsGroup[] {
    return [...this.#groups.values()]
      .flat()
      .filter(({ documents }) => documents > 1)
      .map(({ ids, tags, documents, words, isAcrossTags }) => {
        return { ids, tagIds: [...tags], documents, words, isAcrossTags }
      })
      .sort(
        (a, b) =>
          Number(b.isAcrossTags) - Number(a.isAcrossTags) ||
          b.documents - a.documents ||
          (a.ids[0]! < b.ids[0]! ? -1 : 1),
      )
  }
}
