import { bordersOf, isCode } from './codes.ts'
import type { Alternative } from './meaning.ts'
import {
  type KnownWords,
  type Meaning,
  standingAlternative,
  surfaceOf,
  termOf,
  type Words,
  wordOf,
} from './meaning.ts'
import type { Standing } from './standing.ts'

/** Limits for splitting a word: for a known word, the evidence has to be stronger. */
interface Caution {
  readonly leastWord: number
  readonly leastPart: number
  /** Minimum number of documents that have the parts in sequence. */
  readonly leastDocuments: number
  /** Maximum number of documents with the rarer part: more frequent words meet by chance, and take long to check. */
  readonly mostFrequent: number
  /** The term of the last part: for a known word, the part itself must occur in documents, which needs no stemming. */
  readonly lastTerm: (part: string, known: Words) => number
}

const unknown: Caution = {
  leastWord: 3,
  leastPart: 1,
  leastDocuments: 1,
  mostFrequent: 10_000,
  lastTerm: termOf,
}
const frequent: Caution = {
  leastWord: 6,
  leastPart: 3,
  leastDocuments: 2,
  mostFrequent: 1_000,
  lastTerm: wordOf,
}

/** In more documents than this, a word is unlikely to occur by chance or mistake. */
const RARE = 2
/** Maximum number of splits examined in which all parts are known. */
const MAX_CUTS = 3
const APART_WEIGHT = 0.8

interface Cut {
  readonly parts: readonly string[]
  readonly terms: readonly number[]
  /** Number of documents with the rarest part. */
  readonly frequency: number
}

/** Whether documents might have the word written apart, which only forward lists tell. */
export const mayBeApart = (word: string, documents: number, known: Words): boolean =>
  cutsOf(word, cautionFor(documents), known).length > 0

/** The word written apart, in the way most documents have it. */
export function writtenApart(
  word: string,
  meaning: Meaning | undefined,
  known: KnownWords,
): Alternative | undefined {
  const apart = partsOf(word, meaning?.documents ?? 0, known)
  return apart && standingAlternative('compound', apart.standing, APART_WEIGHT, known)
}

/** The parts of a word with this document frequency that follow each other in the most documents. */
export function partsOf(
  word: string,
  documents: number,
  known: KnownWords,
): { parts: readonly string[]; standing: Standing } | undefined {
  const caution = cautionFor(documents)
  let best: { parts: readonly string[]; standing: Standing } | undefined
  for (const { parts, terms, frequency } of cutsOf(word, caution, known)) {
    // No more documents than this can have them in sequence.
    if (frequency <= (best?.standing.size ?? 0)) break
    const standing = known.standing(terms)
    if (standing && standing.size >= caution.leastDocuments && standing.size > (best?.standing.size ?? 0))
      best = { parts, standing }
  }
  return best
}

const cautionFor = (documents: number): Caution => (documents > RARE ? frequent : unknown)

/** The likeliest splits of a word into words that all occur. */
function cutsOf(word: string, caution: Caution, known: Words): Cut[] {
  if (word.length < caution.leastWord || word.length > 64) return []
  if (!isCode(word) && !/^[\p{L}\p{M}]+$/u.test(word)) return []
  const cuts: Cut[] = []
  const offer = (parts: readonly string[]) => {
    const cut = cutInto(parts, caution, known)
    if (cut) cuts.push(cut)
  }
  for (let at = caution.leastPart; at <= word.length - caution.leastPart; at++)
    offer([word.slice(0, at), word.slice(at)])
  if (caution === unknown || isCode(word)) {
    const borders = bordersOf(word)
    if (borders.length > 2) offer(borders)
    for (const parts of inThree(word)) offer(parts)
  }
  return cuts.sort((a, b) => b.frequency - a.frequency).slice(0, MAX_CUTS)
}

const MOST_IN_THREE = 16

/** All splits of a word into three, if there are not too many. */
function* inThree(word: string): Generator<string[]> {
  if (word.length > MOST_IN_THREE || isCode(word)) return
  for (let a = 1; a < word.length - 1; a++)
    for (let b = a + 1; b < word.length; b++) {
      const parts = [word.slice(0, a), word.slice(a, b), word.slice(b)]
      if (parts.filter(({ length }) => length === 1).length <= 1) yield parts
    }
}

function cutInto(
  parts: readonly string[],
  { leastDocuments, mostFrequent, lastTerm }: Caution,
  known: Words,
): Cut | undefined {
  const terms: number[] = []
  let frequency = Infinity
  for (const [i, part] of parts.entries()) {
    const term = part === 'a' ? -1 : i < parts.length - 1 ? surfaceOf(part, known) : lastTerm(part, known)
    if (term < 0) return undefined
    frequency = Math.min(frequency, known.segments.frequencies.of(term))
    if (frequency < leastDocuments) return undefined
    terms.push(term)
  }
  return frequency > mostFrequent ? undefined : { parts, terms, frequency }
}

/** Minimum number of documents for each part of a word that is split although no document has the parts in sequence. */
const LEAST_KNOWN = 5
const LEAST_CUT = 3

/**
 * The parts of a word that is unknown and similar to no other, if these occur: those of a code at its borders of letters
 * and digits, otherwise the two most frequent ones.
 */
export function knownParts(word: string, known: Words): readonly string[] | undefined {
  if (isCode(word)) {
    const parts = bordersOf(word)
    return parts.length > 1 && parts.every(part => termOf(part, known) >= 0) ? parts : undefined
  }
  if (!/^[\p{L}\p{M}]+$/u.test(word) || word.length > 64) return undefined
  let best: readonly string[] | undefined
  let most = 0
  for (let at = LEAST_CUT; at <= word.length - LEAST_CUT; at++) {
    const parts = [word.slice(0, at), word.slice(at)]
    const frequencies = parts.map(part => frequencyOf(part, known))
    if (Math.min(...frequencies) < LEAST_KNOWN) continue
    const evidence = Math.log(frequencies[0]!) + Math.log(frequencies[1]!)
    if (evidence > most) [best, most] = [parts, evidence]
  }
  return best
}

function frequencyOf(word: string, known: Words): number {
  const term = surfaceOf(word, known)
  return term < 0 ? 0 : known.segments.frequencies.of(term)
}
