import { type Filter, type IndexState, isMissing, type Missing } from '../filters/filter.ts'
import type { Selection } from '../fulltext/matching/selection.ts'
import type { Boosts } from '../fulltext/ranking/boosted-scores.ts'
import type { JsonObject } from '../json.ts'
import { stretchEnd } from '../scheduling/stretch.ts'
import type { Preparation } from './condition.ts'

/** Adds a value to the scores of documents that match a condition. */
export interface Weight {
  readonly filter: Filter
  readonly value: number
}

/** The sums of the weights counted so far, in one segment. */
interface Sums {
  counted: number
  most: number
  /** By document; undefined where all are 0. */
  values: Float64Array | undefined
}

/** What weights add to the scores of documents: summed beforehand, since many of them take a while. */
export class WeightSums implements Preparation {
  readonly #weights: readonly Weight[]
  /** By the body of the segment, which stays the same object as long as its documents keep their places. */
  readonly #sums = new Map<Uint8Array, Sums>()
  #asking: Filter | undefined

  constructor(weights: readonly Weight[]) {
    this.#weights = weights
  }

  prepare({ state }: { readonly state: IndexState }): Missing | undefined {
    const until = stretchEnd()
    for (const [at, { filter, value }] of this.#weights.entries()) {
      if (state.segments.every(({ segment }) => this.#sumsOf(segment).counted > at)) continue
      const selected = filter.select(state)
      if (isMissing(selected)) {
        this.#asking = filter
        return selected
      }
      for (const [place, { segment }] of state.segments.entries()) {
        const sums = this.#sumsOf(segment)
        if (sums.counted > at) continue
        sums.counted++
        add(value, selected, place, segment.shape.documents, sums)
      }
      if (performance.now() > until) return { documents: [] }
    }
    return undefined
  }

  learn(id: string, document: JsonObject | undefined): Iterator<void> | undefined {
    return this.#asking?.learn(id, document)
  }

  /** The sums for one state, which has been prepared. */
  of({ segments }: IndexState): Boosts {
    return segments.map(({ segment }) => {
      const { values, most } = this.#sumsOf(segment)
      return values && { values, most }
    })
  }

  #sumsOf({ body }: IndexState['segments'][number]['segment']): Sums {
    let sums = this.#sums.get(body)
    if (!sums) {
      sums = { counted: 0, most: 0, values: undefined }
      this.#sums.set(body, sums)
    }
    return sums
  }
}

function add(value: number, selection: Selection, place: number, documents: number, sums: Sums): void {
  if (value === 0 || selection.sizes[place] === 0) return
  sums.most += value
  sums.values ??= new Float64Array(documents)
  const { values } = sums
  const hidden = selection.hidden[place]
  if (!hidden) {
    for (let document = 0; document < documents; document++) values[document]! += value
    return
  }
  for (let at = 0; at << 5 < documents; at++)
    for (let word = ~hidden[at]!; word !== 0; word &= word - 1) {
      const document = (at << 5) + 31 - Math.clz32(word & -word)
      if (document < documents) values[document]! += value
    }
}
