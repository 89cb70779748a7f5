import { SCORE_PARTS } from './comparison.ts'
import type { NearDocument, SimilarityIndex } from './similarity-index.ts'

/** Number of neighbours kept for each document. */
const MOST_NEIGHBOURS = 100

/** Number of lists examined per step. */
const AT_ONCE = 256

/** A document of a group, and the members most similar to it: best first, equal ones by id. */
export interface NeighbourList {
  readonly id: string
  readonly ids: readonly string[]
  readonly scores: Float32Array
}

/** How a group has changed since its lists were made. */
export interface ChangedMembers {
  /** Members that are new in the group, or have changed. */
  readonly changed: ReadonlySet<string>
  /** Documents that are no longer members. */
  readonly removed: ReadonlySet<string>
}

export interface FindOptions {
  /** Members whose lists to make; default: all. Several workers can make some each. */
  readonly some?: Iterable<string>
  /** Number of neighbours to keep; default 100. */
  readonly most?: number
}

/** Makes the lists of the members of a group, one per step: the documents of a tag, or all documents. */
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

  /** Best first; undefined for a document that is not a member. */
  of(id: string): NearDocument[] | undefined {
    const list = this.#lists.get(id)
    return list && hitsOf(list)
  }

  /**
   * Updates the lists as if all had been rebuilt with the same weights: makes those of changed members, and repairs all
   * that contain one of these, or should. Some of the steps yield the id of a list that was made or repaired. If
   * it is abandoned before its end, it has to be repeated.
   *
   * @param members the current members
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
      // If the list was full, it is not known which member came next.
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

  /** The lowest score that any list accepts. */
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

const listOf = (id: string, hits: readonly NearDocument[]): NeighbourList => ({
  id,
  ids: hits.map(hit => hit.id),
  scores: Float32Array.from(hits, ({ score }) => score),
})

/** With the scores as they were before they were stored in 32 bits. */
export const hitsOf = ({ ids, scores }: NeighbourList): NearDocument[] =>
  ids.map((id, at) => ({ id, score: scoreOf(scores[at]!) }))

const scoreOf = (stored: number): number => Math.round(stored * SCORE_PARTS) / SCORE_PARTS
