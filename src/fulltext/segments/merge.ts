import { grown } from '../../arrays/grow.ts'
import { isSet } from '../../arrays/set-bits.ts'
import type { Columns } from './columns/columns.ts'
import { mergeColumns } from './columns/join.ts'
import { mergeIdRanks } from './document-ids.ts'
import type { ForwardList } from './forward-list.ts'
import { summarise } from './impacts.ts'
import { type SegmentShape, WholeSegment } from './segment.ts'

export interface MergeInput {
  readonly segment: WholeSegment
  /** By document: 1 if it was removed; absent while all are living. */
  readonly dead: Uint32Array | undefined
}

/** The base of a family that was created after it; -1 for any other term. */
export type LateBaseOf = (term: number) => number

/**
 * Merges the living documents of several segments into one, in order; impacts are copied. In a segment from before a
 * family, its base stands for it.
 */
export function mergeSegments(inputs: readonly MergeInput[], baseOf: LateBaseOf): WholeSegment {
  const sources = renumber(inputs)
  const merged = new MergedTerms(sources, baseOf)
  const shape = { ...merged.shape, ...documentShape(sources), fields: sources[0]!.segment.shape.fields }
  const segment = WholeSegment.blank(shape, columnsOf(sources, shape.documents))
  merged.copyPostings(segment)
  summarise(segment)
  for (const source of sources) copyDocuments(source, segment)
  mergeIdRanks(sources, segment)
  return segment
}

export interface MergeSource {
  readonly segment: WholeSegment
  readonly dead: Uint32Array | undefined
  /** By document: its number in the merged segment. */
  readonly numbers: Uint16Array
  readonly documents: number
}

function renumber(inputs: readonly MergeInput[]): MergeSource[] {
  let next = 0
  return inputs.map(({ segment, dead }) => {
    const first = next
    const numbers = new Uint16Array(segment.shape.documents)
    for (let document = 0; document < numbers.length; document++) {
      if (!isSet(dead, document)) numbers[document] = next++
    }
    return { segment, dead, numbers, documents: next - first }
  })
}

/** Higher than the id of any term. */
const NONE = 2 ** 32 - 1

/** The terms of the sources' living documents, ascending, and where the sources have their postings. */
class MergedTerms {
  readonly #sources: readonly MergeSource[]
  readonly #terms: Uint32Array
  /** By term: the end of its entries. */
  readonly #ends: Uint32Array
  /** By entry: a source that has the term, and the term's place in it. */
  #having: Uint32Array<ArrayBuffer>
  #places: Uint32Array<ArrayBuffer>
  #size = 0
  #entries = 0
  #postings = 0
  #followers = 0

  constructor(sources: readonly MergeSource[], baseOf: LateBaseOf) {
    const most = sources.reduce((sum, { segment }) => sum + segment.terms.length, 0)
    this.#sources = sources
    this.#terms = new Uint32Array(most)
    this.#ends = new Uint32Array(most)
    this.#having = new Uint32Array(most)
    this.#places = new Uint32Array(most)
    this.#walk(baseOf)
  }

  get shape(): Pick<SegmentShape, 'terms' | 'postings' | 'followers'> {
    return { terms: this.#size, postings: this.#postings, followers: this.#followers }
  }

  #walk(baseOf: LateBaseOf): void {
    const sources = this.#sources
    /** By source: its next term, and the place of that term. */
    const nexts = Uint32Array.from(sources, ({ segment }) => segment.terms[0] ?? NONE)
    const places = new Uint32Array(sources.length)
    for (;;) {
      let least = NONE
      for (let s = 0; s < nexts.length; s++) if (nexts[s]! < least) least = nexts[s]!
      if (least === NONE) return
      const base = baseOf(least)
      const [entries, postings] = [this.#entries, this.#postings]
      for (let s = 0; s < nexts.length; s++) {
        const { terms } = sources[s]!.segment
        if (nexts[s] === least) {
          this.#add(s, places[s]!)
          const next = ++places[s]!
          nexts[s] = next < terms.length ? terms[next]! : NONE
        } else if (base >= 0) {
          const place = sources[s]!.segment.find(base)
          if (place >= 0) this.#add(s, place)
        }
      }
      if (this.#postings === postings) this.#entries = entries
      else {
        this.#terms[this.#size] = least
        this.#ends[this.#size++] = this.#entries
      }
    }
  }

  #add(source: number, place: number): void {
    // There can only be more entries than terms because bases also stand for families.
    if (this.#entries === this.#having.length) {
      this.#having = grown(this.#having, this.#entries + 1)
      this.#places = grown(this.#places, this.#entries + 1)
    }
    this.#having[this.#entries] = source
    this.#places[this.#entries++] = place
    const from = this.#sources[source]!
    this.#postings += livePostings(from, place)
    this.#followers += liveFollowers(from, place)
  }

  /** Fills terms, offsets, postings and followers of a segment of this shape. */
  copyPostings(segment: WholeSegment): void {
    const { terms, offsets, forward } = segment
    let posting = 0
    let follower = 0
    let entry = 0
    for (let t = 0; t < this.#size; t++) {
      terms[t] = this.#terms[t]!
      for (const end = this.#ends[t]!; entry < end; entry++) {
        const source = this.#sources[this.#having[entry]!]!
        const place = this.#places[entry]!
        posting = copyPostings(source, place, segment, posting)
        follower = copyFollowers(source, place, forward, follower)
      }
      offsets[t + 1] = posting
      if (this.#followers > 0) forward.followerStarts[t + 1] = follower
    }
  }
}

function documentShape(
  sources: readonly MergeSource[],
): Pick<SegmentShape, 'documents' | 'tokens' | 'idUnits'> {
  const shape = { documents: 0, tokens: 0, idUnits: 0 }
  for (const { segment, dead, numbers, documents } of sources) {
    const { starts } = segment.forward
    shape.documents += documents
    if (dead === undefined) {
      shape.idUnits += segment.shape.idUnits
      shape.tokens += segment.shape.tokens
      continue
    }
    for (let document = 0; document < numbers.length; document++) {
      if (isSet(dead, document)) continue
      shape.idUnits += segment.idStarts[document + 1]! - segment.idStarts[document]!
      shape.tokens += starts[document + 1]! - starts[document]!
    }
  }
  return shape
}

function livePostings({ segment, dead }: MergeSource, place: number): number {
  const from = segment.offsets[place]!
  const to = segment.offsets[place + 1]!
  if (dead === undefined) return to - from
  let live = 0
  for (let p = from; p < to; p++) if (!isSet(dead, segment.documents[p]!)) live++
  return live
}

function liveFollowers({ segment, dead }: MergeSource, place: number): number {
  const { followerStarts } = segment.forward
  if (segment.shape.followers === 0) return 0
  if (dead === undefined) return followerStarts[place + 1]! - followerStarts[place]!
  let live = 0
  for (let p = segment.offsets[place]!; p < segment.offsets[place + 1]!; p++)
    if (isInTitle(segment, p) && !isSet(dead, segment.documents[p]!)) live++
  return live
}

const isInTitle = ({ forward, shape }: WholeSegment, posting: number): boolean =>
  forward.frequencies[posting * shape.fields] !== 0

function copyFollowers({ segment, dead }: MergeSource, place: number, to: ForwardList, at: number): number {
  if (segment.shape.followers === 0) return at
  const { followers, followerStarts } = segment.forward
  let from = followerStarts[place]!
  const end = followerStarts[place + 1]!
  if (dead === undefined) {
    for (; from < end; from++) to.followers[at++] = followers[from]!
    return at
  }
  for (let p = segment.offsets[place]!; from < end; p++) {
    if (!isInTitle(segment, p)) continue
    if (!isSet(dead, segment.documents[p]!)) to.followers[at++] = followers[from]!
    from++
  }
  return at
}

function copyPostings(source: MergeSource, place: number, to: WholeSegment, at: number): number {
  const { segment, dead, numbers } = source
  const { fields } = segment.shape
  const { frequencies } = segment.forward
  const copied = to.forward.frequencies
  const end = segment.offsets[place + 1]!
  for (let p = segment.offsets[place]!; p < end; p++) {
    const document = segment.documents[p]!
    if (isSet(dead, document)) continue
    to.documents[at] = numbers[document]!
    to.impacts[at] = segment.impacts[p]!
    for (let f = 0; f < fields; f++) copied[at * fields + f] = frequencies[p * fields + f]!
    at++
  }
  return at
}

function columnsOf(sources: readonly MergeSource[], documents: number): Columns {
  const columns = sources.map(({ segment, dead, numbers }) => {
    const becomes = new Int32Array(numbers)
    if (dead)
      for (let document = 0; document < numbers.length; document++)
        if (isSet(dead, document)) becomes[document] = -1
    return { columns: segment.columns, becomes }
  })
  return mergeColumns(columns, documents)
}

function copyDocuments({ segment, dead, numbers }: MergeSource, to: WholeSegment): void {
  const count = numbers.length
  for (let from = 0; from < count; ) {
    while (from < count && isSet(dead, from)) from++
    let end = from
    while (end < count && !isSet(dead, end)) end++
    if (end > from) copyRun(segment, from, end, to, numbers[from]!)
    from = end
  }
}

/** Copies adjacent documents, which stay adjacent. */
function copyRun(source: WholeSegment, from: number, end: number, to: WholeSegment, number: number): void {
  const { fields } = source.shape
  to.lengths.set(source.lengths.subarray(from * fields, end * fields), number * fields)
  copyLists(source.idStarts, source.idUnits, from, end, to.idStarts, to.idUnits, number)
  const { starts, tokens } = source.forward
  copyLists(starts, tokens, from, end, to.forward.starts, to.forward.tokens, number)
}

function copyLists<T extends Uint16Array | Uint32Array>(
  starts: Uint32Array,
  values: T,
  from: number,
  end: number,
  toStarts: Uint32Array,
  to: T,
  number: number,
): void {
  const moved = toStarts[number]! - starts[from]!
  to.set(values.subarray(starts[from], starts[end]), toStarts[number]!)
  for (let list = from; list < end; list++) toStarts[number + list - from + 1] = starts[list + 1]! + moved
}
