import { SCORE_PARTS } from './comparison.ts'
import type { NearDocument, SimilarityIndex } from './similarity-index.ts'

/** Number of neighbours that are kept of a document. */
export const MOST_NEIGHBOURS = 100

/** Lists that are looked at with one step. */
const AT_ONCE = 256

/** A document of a group, and the members that are most like it: best first, equal ones by id. */
export interface NeighbourList {
  readonly id: string
  readonly ids: readonly string[]
  readonly scores: Float32Array
}

/** What became of members since lists were made. */
export interface ChangedMembers {
  /** Those that are new in the group, or are others now. */
  readonly changed: ReadonlySet<string>
  /** Those that are in it no more. */
  readonly removed: ReadonlySet<string>
}

export interface FindOptions {
  /** Whose lists to make; those of all members unless told. Several workers can each make some. */
  readonly some?: Iterable<string>
  /** How many neighbours are kept; 100 unless told. */
  readonly most?: number
}

/** Makes the lists of the members of a group, one with each step: the documents of a tag, or all that there are. */
export function* findNeighbours(
  index: SimilarityIndex,
  members: ReadonlySet<string>,
  { some = members, most = MOST_NEIGHBOURS }: FindOptions = {},
): Generator<NeighbourList, void> {
  const accepts = (id: string) => members.has(id)
  for (const id of some) yield listOf(id, index.nearest({ id }, { count: most, accepts }))
}

/** The lists of a group. */
export class Neighbours {
  readonly most: number
  readonly #lists = new Map<string, NeighbourList>()

  constructor(most = MOST_NEIGHBOURS) {
    this.most = most
  }

  get size(): number {
    return this.#lists.size
  }

  /** All lists. */
  lists(): Iterable<NeighbourList> {
    return this.#lists.values()
  }

  take(list: NeighbourList): void {
    this.#lists.set(list.id, list)
  }

  /** Best first; undefined for what is no member. */
  of(id: string): NearDocument[] | undefined {
    const list = this.#lists.get(id)
    return list && hitsOf(list)
  }

  /**
   * Brings the lists up to date, as if all had been rebuilt with the same weights: makes those of changed members,
   * and mends all that have one of them, or should. It tells the ids of the lists that it makes or mends, one with some of
   * the steps, and has to be done again where it was left early.
   *
   * @param members the members that there are now
   */
  *update(
    index: SimilarityIndex,
    members: ReadonlySet<string>,
    { changed, removed }: ChangedMembers,
  ): Generator<string | undefined, void> {
    const { most } = this
    const isKnown = (id: string) => !changed.has(id) && !removed.has(id)
    for (const id of [...changed, ...removed]) this.#lists.delete(id)
    const arrivals = new Map<string, NearDocument[]>()
    const least = this.#leastOfAll()
    const some = [...changed].filter(id => members.has(id))
    for (const id of some) {
      for (const { id: other, score } of index.allLike(id, least)) {
        const list = this.#lists.get(other)
        if (list && this.#enters(list, { id, score }))
          arrivals.set(other, [...(arrivals.get(other) ?? []), { id, score }])
      }
      yield
    }
    for (const [at, list] of [...this.#lists.values()].entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) yield
      const come = arrivals.get(list.id) ?? []
      if (come.length === 0 && list.ids.every(isKnown)) continue
      const hits = [...hitsOf(list).filter(({ id }) => isKnown(id)), ...come].sort(inOrder).slice(0, most)
      // Of a list that was full nobody knows who came next.
      const isComplete = hits.length === most || list.ids.length < most
      if (isComplete) this.take(listOf(list.id, hits))
      else for (const found of findNeighbours(index, members, { some: [list.id], most })) this.take(found)
      yield list.id
    }
    for (const list of findNeighbours(index, members, { some, most })) {
      this.take(list)
      yield list.id
    }
  }

  /** No list takes in less. */
  #leastOfAll(): number {
    let least = 1
    for (const { ids, scores } of this.#lists.values())
      least = Math.min(least, ids.length < this.most ? 0 : scores[this.most - 1]!)
    return least
  }

  #enters(list: NeighbourList, hit: NearDocument): boolean {
    if (list.ids.length < this.most) return true
    const last = this.most - 1
    return inOrder(hit, { id: list.ids[last]!, score: scoreOf(list.scores[last]!) }) < 0
  }
}

const inOrder = (a: NearDocument, b: NearDocument): number => b.score - a.score || (a.id < b.id ? -1 : 1)

export const listOf = (id: string, hits: readonly NearDocument[]): NeighbourList => ({
  id,
  ids: hits.map(hit => hit.id),
  scores: Float32Array.from(hits, ({ score }) => score),
})

/** Scores as they were before they were stored in 32 bits. */
export const hitsOf = ({ ids, scores }: NeighbourList): NearDocument[] =>
  ids.map((id, at) => ({ id, score: scoreOf(scores[at]!) }))

const scoreOf = (stored: number): number => Math.round(stored * SCORE_PARTS) / SCORE_PARTS
