import { together } from '../fulltext/words/context.ts'
import type { Words } from '../fulltext/words/meaning.ts'
import type { Reading } from './readings.ts'

/** A text in which each word has one of its readings. */
export interface LikelyPhrase {
  readonly words: readonly string[]
  readonly terms: readonly number[]
  readonly surfaces: readonly number[]
  /** A logarithm, to be compared with those of other readings of the same text. */
  readonly score: number
  /** How many of its readings are changes. */
  readonly errors: number
}

const NOTHING: LikelyPhrase = { words: [], terms: [], surfaces: [], score: 0, errors: 0 }

/** Number of phrases up to a position that are followed. */
const FOLLOWED = 16
/** How much it counts whether neighbours stand in the same documents, beside how frequent each is. */
const NEIGHBOURS = 0.6
/** Postings that are looked at for it, in all. */
const MOST_POSTINGS = 200_000

/**
 * The likeliest phrases with a maximum number of changes, best first: Viterbi's search over the readings (1967), which keeps
 * the best few up to each place instead of one. Readings that stand in the same documents as the previous one are
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
      // What no document has, as it is, is in no document beside the others.
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
