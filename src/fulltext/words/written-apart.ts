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

/** A word that may be two, in how it is looked for: one that is known must be borne out better. */
interface Caution {
  readonly leastWord: number
  readonly leastPart: number
  /** Documents that have the parts, in sequence. */
  readonly leastDocuments: number
  /** Of the documents with the rarer part; more frequent words meet by chance, and to see whether they do takes long. */
  readonly mostFrequent: number
  /** The term of the last part: that of a known word must be a word of the documents, which takes no stemming. */
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

/** Documents of a word beyond which it is not likely that it stands there by chance or mistake. */
const RARE = 2
/** Maximum number of splits whose parts are all known that are examined. */
const MAX_CUTS = 3
const APART_WEIGHT = 0.8

interface Cut {
  readonly parts: readonly string[]
  readonly terms: readonly number[]
  /** Documents that have the rarest part. */
  readonly frequency: number
}

/** Whether documents might have the word as several, which only their forward lists tell. */
export const mayBeApart = (word: string, documents: number, known: Words): boolean =>
  cutsOf(word, cautionFor(documents), known).length > 0

/** The word as several that follow each other, as most documents have them. */
export function writtenApart(
  word: string,
  meaning: Meaning | undefined,
  known: KnownWords,
): Alternative | undefined {
  const apart = partsOf(word, meaning?.documents ?? 0, known)
  return apart && standingAlternative('compound', apart.standing, APART_WEIGHT, known)
}

/** The parts of a word with this document frequency that follow each other in most documents. */
export function partsOf(
  word: string,
  documents: number,
  known: KnownWords,
): { parts: readonly string[]; standing: Standing } | undefined {
  const caution = cautionFor(documents)
  let best: { parts: readonly string[]; standing: Standing } | undefined
  for (const { parts, terms, frequency } of cutsOf(word, caution, known)) {
    // No more documents than that can bear it out.
    if (frequency <= (best?.standing.size ?? 0)) break
    const standing = known.standing(terms)
    if (standing && standing.size >= caution.leastDocuments && standing.size > (best?.standing.size ?? 0))
      best = { parts, standing }
  }
  return best
}

const cautionFor = (documents: number): Caution => (documents > RARE ? frequent : unknown)

/** The likeliest cuts of a word into words that all occur. */
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

/** All ways to cut a word into three, where there are not too many. */
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

/** Documents that each part of a word must have that is cut without any document that bears it out. */
const LEAST_KNOWN = 5
const LEAST_CUT = 3

/**
 * The parts of a word that is unknown and like no other, where these occur: those of a code at its borders of letters
 * and digits, else its two most frequent ones.
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
