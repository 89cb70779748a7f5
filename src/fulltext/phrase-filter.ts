import type { FieldWeight } from './bm25f.ts'
import type { LiveSegment } from './live-segment.ts'
import type { PostingFinder, SlotParts } from './posting-lists.ts'
import type { Phrase } from './query-text.ts'
import { type Candidates, matchAll } from './rank-all.ts'
import type { Slot } from './slot.ts'
import { MAX_PLACES, type WordPlaces } from './word-places.ts'

/** Where phrases are looked for. */
interface PhraseScope {
  readonly live: LiveSegment
  readonly finder: PostingFinder
  readonly places: WordPlaces
  /** Those of weight 0 are left out. */
  readonly fields: readonly FieldWeight[] | undefined
}

/** By document, 1 where it lacks some phrase or is gone. */
export function hiddenByPhrases(
  scope: PhraseScope,
  phrases: readonly Phrase[],
  sequence: readonly (Slot | undefined)[],
): Uint8Array {
  const { live, finder } = scope
  const { documents } = live.segment.shape
  let lacks = live.dead?.slice() ?? new Uint8Array(documents)
  for (const phrase of distinct(phrases, sequence)) {
    const lacksThis = new Uint8Array(documents).fill(1)
    const { documents: found, count } = matching(phrase, sequence, finder)
    for (let i = 0; i < count; i++) {
      const document = found[i]!
      if (lacks[document] === 0 && stands(phrase, document, scope)) lacksThis[document] = 0
    }
    lacks = lacksThis
  }
  return lacks
}

/** Phrases of the same words in the same order are one. */
function distinct(phrases: readonly Phrase[], sequence: readonly (Slot | undefined)[]): Phrase[] {
  const known = new Map<string, Phrase>()
  for (const phrase of phrases) {
    const words = phrase.words.map(place => sequence[place]?.word ?? '')
    known.set(JSON.stringify([phrase.slop, words]), phrase)
  }
  return [...known.values()]
}

/** Documents with all words of the phrase, wherever they stand. */
function matching(
  { words }: Phrase,
  sequence: readonly (Slot | undefined)[],
  finder: PostingFinder,
): Pick<Candidates, 'documents' | 'count'> {
  const parts: SlotParts[] = []
  for (const slot of new Set(words.map(word => sequence[word]))) {
    const found = slot && finder.find(slot)
    if (!found) return { documents: new Uint16Array(0), count: 0 }
    parts.push(found)
  }
  return matchAll(parts)
}

function stands(phrase: Phrase, document: number, { live, places, fields }: PhraseScope): boolean {
  const { shape, lengths, forward } = live.segment
  let start = forward!.starts[document]!
  for (let field = 0; field < shape.fields; field++) {
    const end = start + lengths[document * shape.fields + field]!
    const counts = fields?.[field]?.weight !== 0
    if (counts && standsWithin(phrase, forward!.tokens, start, end, places)) return true
    start = end
  }
  return false
}

/** From each place of the first word the others are taken where they come first, which leaves the fewest between. */
function standsWithin(
  { words, slop }: Phrase,
  tokens: Uint32Array,
  from: number,
  to: number,
  places: WordPlaces,
): boolean {
  const wanted = words.filter(place => place < MAX_PLACES)
  for (let start = from; start < to; start++) {
    let at = start
    let reached = 0
    const end = Math.min(to, start + wanted.length + slop)
    for (; at < end && reached < wanted.length; at++) {
      if ((places.of(tokens[at]!) >>> wanted[reached]!) & 1) reached++
      else if (at === start) break
    }
    if (reached === wanted.length) return true
  }
  return false
}
