import type { Segment } from '../segments/segment.ts'
import { MAX_SEGMENT_DOCUMENTS } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import type { Expansion } from '../words/slot.ts'
import { Tally } from './followers.ts'
import { HeadImpacts, type HeadSources } from './head-impacts.ts'

/** Fewer documents give little evidence, and the first page shows half of them anyway. */
const LEAST_DOCUMENTS = 24

/** More take too long to read during a search. */
const MOST_DOCUMENTS = MAX_SEGMENT_DOCUMENTS

/** Maximum size of the cache, in bytes. */
const MOST_BYTES = 2 ** 24

interface Kept {
  readonly heads: HeadImpacts
  /** State of the index at the last use. */
  state: number
  /** Time of the last use. */
  asked: number
}

/** Caches the followers of the words searched for last. */
export class KnownHeads {
  /** By terms. */
  readonly #kept = new Map<string, Kept>()
  readonly #tally = new Tally()
  #state = 0
  #asked = 0
  #keptBytes = 0

  get bytes(): number {
    return this.#keptBytes + this.#tally.bytes
  }

  /** Must be called when the index has changed. */
  change(): void {
    this.#state++
  }

  /** For a query of a single word; undefined where it is too rare or too frequent. */
  of(cover: readonly Expansion[], sources: HeadSources): HeadImpacts | undefined {
    const terms = headTerms(cover, sources)
    if (!terms) return undefined
    const key = terms.join()
    const known = this.#kept.get(key)
    const kept = known?.state === this.#state ? known : this.#follow(terms, known?.heads, sources)
    kept.asked = this.#asked++
    if (kept !== known) this.#keep(key, kept)
    return kept.heads
  }

  #follow(terms: readonly number[], last: HeadImpacts | undefined, sources: HeadSources): Kept {
    const forms = new Set<number>()
    for (const term of terms) sources.vocabulary.visitMembers(term, surface => forms.add(surface))
    this.#keptBytes -= last?.bytes ?? 0
    // A family only ever grows.
    const heads =
      last?.forms.size === forms.size ? last : new HeadImpacts(terms, forms, sources.vocabulary, this.#tally)
    heads.follow(sources)
    this.#keptBytes += heads.bytes
    return { heads, state: this.#state, asked: 0 }
  }

  /** If the cache is too large, drops the entries used least recently, half of it at once. */
  #keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept)
    if (this.#keptBytes <= MOST_BYTES) return
    const others = [...this.#kept].sort(([, one], [, other]) => one.asked - other.asked)
    for (const [oldest, { heads }] of others) {
      if (this.#keptBytes <= MOST_BYTES / 2 || oldest === key) return
      this.#kept.delete(oldest)
      this.#keptBytes -= heads.bytes
    }
  }
}

/** The terms that the only word of a query stands for; undefined where they are too rare or too frequent. */
export function headTerms(
  cover: readonly Expansion[],
  { frequencies }: Pick<SegmentList<Segment>, 'frequencies'>,
): number[] | undefined {
  const terms: number[] = []
  let documents = 0
  for (const { kind, term, standing } of cover) {
    // A word that is still being typed may become many words.
    if (kind === 'prefix' || kind === 'part' || standing) continue
    terms.push(term)
    documents += frequencies.of(term)
  }
  return documents < LEAST_DOCUMENTS || documents > MOST_DOCUMENTS ? undefined : terms
}
