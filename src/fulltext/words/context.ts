import { isSet } from '../../arrays/set-bits.ts'
import { gallop } from '../segments/posting-list.ts'
import type { Segment } from '../segments/segment.ts'
import { placeOf } from '../segments/term-place.ts'
import type { KnownSegment } from './known-segments.ts'
import type { KnownWords, Meaning, Words } from './meaning.ts'

// Between half and twice this influence, nDCG of misspelt queries differs by .0003; without any, it is .0009 lower.
const LEAST = -1
const MOST = 4
/** More frequent words say little, and checking where they occur together takes long. */
const MOST_SHARE = 0.2
const MOST_FREQUENT = 5_000
const MOST_OTHERS = 4

/** A misspelt word, with its candidates that occur together with the other words of the query first. */
export function inContext(meaning: Meaning, others: readonly Meaning[], known: KnownWords): Meaning {
  // Compounds that contain it stay behind these, unchanged.
  const parts = meaning.cover.filter(({ kind }) => kind === 'part')
  const candidates = meaning.cover.filter(({ kind }) => kind !== 'part')
  if (candidates.length < 2) return meaning
  const beside = others.filter(other => isTelling(other, known)).slice(0, MOST_OTHERS)
  if (beside.length === 0) return meaning
  const weighed = candidates.map(expansion => {
    const evidence = beside.reduce(
      (sum, { cover }) => sum + together(expansion.term, cover[0]!.term, known),
      0,
    )
    return { ...expansion, weight: expansion.weight * Math.exp(evidence / beside.length / 2) }
  })
  const most = Math.max(...weighed.map(({ weight }) => weight))
  const usual = Math.max(...candidates.map(({ weight }) => weight))
  const cover = weighed
    .map(expansion => ({ ...expansion, weight: Math.max(0.15 * usual, (usual * expansion.weight) / most) }))
    .sort((a, b) => b.weight - a.weight)
  const { vocabulary } = known.dictionary
  const ofTerm = (term: number) =>
    meaning.surfaces.filter(surface => surface === term || vocabulary.familyOf(surface) === term)
  const surfaces = [...new Set([...cover.flatMap(({ term }) => ofTerm(term)), ...meaning.surfaces])]
  return { ...meaning, cover: [...cover, ...parts], surfaces, suggestion: surfaces[0] }
}

function isTelling({ kind, cover, documents }: Meaning, { segments }: Words): boolean {
  const isSure = kind === 'exact' || kind === 'stem'
  return isSure && cover[0]!.standing === undefined && documents <= MOST_SHARE * segments.size
}

/** How much more often than by chance documents have both, as a bounded logarithm of the likelihood ratio. */
export function together(a: number, b: number, { dictionary, segments }: Words): number {
  const { frequencies, size } = segments
  if (Math.min(frequencies.of(a), frequencies.of(b)) > MOST_FREQUENT) return 0
  let shared = 0
  for (const { segment, dead } of segments.segments)
    shared += sharedIn(
      segment,
      dead,
      placeOf(a, segment, dictionary.vocabulary),
      placeOf(b, segment, dictionary.vocabulary),
    )
  const expected = (frequencies.of(a) * frequencies.of(b)) / size
  return Math.max(LEAST, Math.min(MOST, Math.log((shared + 0.5) / (expected + 0.5))))
}

/** How many living documents have both. */
function sharedIn({ offsets, documents }: Segment, dead: KnownSegment['dead'], a: number, b: number): number {
  if (a < 0 || b < 0) return 0
  if (offsets[a + 1]! - offsets[a]! > offsets[b + 1]! - offsets[b]!) [a, b] = [b, a]
  const end = offsets[b + 1]!
  let at = offsets[b]!
  let shared = 0
  for (let p = offsets[a]!; p < offsets[a + 1]!; p++) {
    at = gallop(documents, at, end, documents[p]!)
    if (at < end && documents[at] === documents[p] && !isSet(dead, documents[p]!)) shared++
  }
  return shared
}
