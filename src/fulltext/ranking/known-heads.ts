import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import type { Expansion } from '../words/slot.ts'
import { Tally } from './followers.ts'
import { HeadImpacts, type HeadSources, MOST_HEADS } from './head-impacts.ts'

/** Fewer documents give little evidence, and the first page shows half of them anyway. */
const LEAST_DOCUMENTS = 24

/** The cache may grow to this many bytes, or to this share of the index if that is more. */
const SMALL_CACHE = 2 ** 24
const SHARE_OF_INDEX = 1 / 16

/** What was not asked for during so many changes is dropped: it may hold segments that merges have replaced. */
const MOST_CHANGES = 4_096

interface Kept {
  heads: HeadImpacts
  /** State of the index at the last use. */
  state: number
  /** Time of the last use. */
  asked: number
  /** Memory at the last use: lists are only made after that. */
  bytes: number
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
    if (this.#state % MOST_CHANGES !== 0) return
    for (const [key, { state, bytes }] of this.#kept) {
      if (this.#state - state < MOST_CHANGES) continue
      this.#kept.delete(key)
      this.#keptBytes -= bytes
    }
  }

  /** For a query of a single word; undefined where it is too rare or too frequent. */
  of(cover: readonly Expansion[], sources: HeadSources): HeadImpacts | undefined {
    const terms = headTerms(cover, sources)
    if (!terms) return undefined
    const key = terms.join()
    const kept = this.#kept.get(key) ?? this.#add(key, terms, sources.vocabulary)
    if (kept.state !== this.#state) this.#follow(terms, kept, sources)
    kept.asked = this.#asked++
    this.#weigh(kept)
    if (this.#keptBytes > SMALL_CACHE) this.#makeRoom(kept, sources.segments)
    return kept.heads
  }

  #add(key: string, terms: readonly number[], vocabulary: Vocabulary): Kept {
    const heads = new HeadImpacts(terms, formsOf(terms, vocabulary), vocabulary, this.#tally)
    const kept = { heads, state: -1, asked: 0, bytes: 0 }
    this.#kept.set(key, kept)
    return kept
  }

  #follow(terms: readonly number[], kept: Kept, sources: HeadSources): void {
    const { vocabulary } = sources
    const forms = formsOf(terms, vocabulary)
    // A family only ever grows.
    if (forms.size !== kept.heads.forms.size)
      kept.heads = new HeadImpacts(terms, forms, vocabulary, this.#tally)
    kept.heads.follow(sources)
    kept.state = this.#state
  }

  #weigh(kept: Kept): void {
    const { bytes } = kept.heads
    this.#keptBytes += bytes - kept.bytes
    kept.bytes = bytes
  }

  /** If the cache is too large, drops the entries used least recently, half of it at once. */
  #makeRoom(latest: Kept, segments: readonly LiveSegment[]): void {
    const most = Math.max(SMALL_CACHE, SHARE_OF_INDEX * indexedBytes(segments))
    if (this.#keptBytes <= most) return
    const oldest = [...this.#kept].sort(([, one], [, other]) => one.asked - other.asked)
    for (const [key, kept] of oldest) {
      if (this.#keptBytes <= most / 2 || kept === latest) return
      this.#kept.delete(key)
      this.#keptBytes -= kept.bytes
    }
  }
}

/** Without columns, whose size takes longer to find out. */
const indexedBytes = (segments: readonly LiveSegment[]): number =>
  segments.reduce(
    (sum, { segment: { body, scores, forward } }) =>
      sum + body.byteLength + scores.byteLength + forward.bytes.byteLength,
    0,
  )

function formsOf(terms: readonly number[], vocabulary: Vocabulary): ReadonlySet<number> {
  const forms = new Set<number>()
  for (const term of terms) vocabulary.visitMembers(term, surface => forms.add(surface))
  return forms
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
  return documents < LEAST_DOCUMENTS || documents > MOST_HEADS ? undefined : terms
}
