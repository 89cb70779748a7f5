import { together } from '../fulltext/words/context.ts'
import type { Words } from '../fulltext/words/meaning.ts'
import type { Reading } from './readings.ts'

/** A text with one reading chosen for each word. */
export interface LikelyPhrase {
  readonly words: readonly string[]
  readonly terms: readonly number[]
  readonly surfaces: readonly number[]
  /** A logarithm, comparable among readings of the same text. */
  readonly score: number
  /** How many of its readings are corrections. */
  readonly errors: number
}

const NOTHING: LikelyPhrase = { words: [], terms: [], surfaces: [], score: 0, errors: 0 }

/** Beam width: number of phrases kept for each position. */
const FOLLOWED = 16
/** Weight of the co-occurrence of neighbours in documents, relative to the frequency of each word. */
const NEIGHBOURS = 0.6
/** Maximum number of postings examined for co-occurrence, in all. */
const MOST_POSTINGS = 200_000

/**
 * The likeliest phrases with a maximum number of corrections, best first: Viterbi's search over the readings (1967), keeping
 * the best few for each position instead of one. Readings that occur in the same documents as the previous one are
 * likelier.
 */
export function likelyPhrases(
  readings: readonly (readonly Reading[])[],
  mostErrors: number,
  known: Words,
): LikelyPhrase[] {
  const evidence = new Evidence(known)
  const upTo: LikelyPhrase[][] = [[NOTHING]]
  for (let at = 1; at <= readings.length; at++) upTo.push([])
  for (const [at, here] of readings.entries()) {
    const followed = best(upTo[at]!)
    for (const reading of here) {
      // A word that no document has as it is cannot occur beside the others.
      if (reading.surfaces.includes(-1)) continue
      for (const phrase of followed) {
        if (phrase.errors + Number(reading.isChanged) > mostErrors) continue
        upTo[at + reading.length]!.push(evidence.continued(phrase, reading))
      }
    }
  }
  return best(upTo[readings.length]!)
}

/** The text as it was typed. */
export function typedPhrase(readings: readonly (readonly Reading[])[], known: Words): LikelyPhrase {
  const evidence = new Evidence(known)
  const typed = readings.map(([first]) => first!)
  return typed.reduce((phrase, reading) => evidence.continued(phrase, reading), NOTHING)
}

function best(phrases: LikelyPhrase[]): LikelyPhrase[] {
  return phrases.sort((a, b) => b.score - a.score || compare(a, b)).slice(0, FOLLOWED)
}

function compare(a: LikelyPhrase, b: LikelyPhrase): number {
  const [one, other] = [a.words.join(' '), b.words.join(' ')]
  return one < other ? -1 : one > other ? 1 : 0
}

class Evidence {
  readonly #known: Words
  readonly #found = new Map<string, number>()
  #left = MOST_POSTINGS

  constructor(known: Words) {
    this.#known = known
  }

  continued({ words, terms, surfaces, score, errors }: LikelyPhrase, reading: Reading): LikelyPhrase {
    const before = terms.at(-1)
    const evidence = before === undefined ? 0 : this.#of(before, reading.terms[0]!)
    return {
      words: [...words, ...reading.words],
      terms: [...terms, ...reading.terms],
      surfaces: [...surfaces, ...reading.surfaces],
      score: score + reading.score + NEIGHBOURS * evidence,
      errors: errors + Number(reading.isChanged),
    }
  }

  #of(a: number, b: number): number {
    if (a < 0 || b < 0 || a === b) return 0
    const pair = `${a} ${b}`
    const found = this.#found.get(pair)
    if (found !== undefined) return found
    const { frequencies } = this.#known.segments
    this.#left -= Math.min(frequencies.of(a), frequencies.of(b))
    const evidence = this.#left < 0 ? 0 : together(a, b, this.#known)
    this.#found.set(pair, evidence)
    return evidence
  }
}
