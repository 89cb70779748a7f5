import { otherReadings } from '../../analysis/numbers.ts'
import { converted, type Unit } from '../../analysis/units.ts'
import { type Alternative, alternativeOf, type KnownWords, standingAlternative, termOf } from './meaning.ts'

const UNIT_WEIGHT = 0.8
/** With more documents of the rarer of number and unit, it takes too long to see whether they occur together. */
const MOST_FREQUENT = 5_000

/** A number with its unit, attached or in sequence. */
interface Measure {
  readonly value: string
  readonly unit: Unit
  /** The words of the query that form it: one or two. */
  readonly words: readonly string[]
}

/** Another notation of a word that belongs to a measure. */
export interface Measured {
  readonly word: string
  readonly alternative: Alternative
}

const beginsWithDigit = /^\d/
const number = /^\d{1,6}(?:\.\d{1,3})?$/
const glued = /^(\d{1,6}(?:\.\d{1,3})?)([a-z]{1,12})$/

/** Whether a word is a number attached to its unit. */
export function isMeasure(word: string, { units }: Pick<KnownWords, 'units'>): boolean {
  const parts = glued.exec(word)
  return parts !== null && units.has(parts[2]!)
}

/** The other notations of all measures in a query, each for the words that form it. */
export function otherMeasures(words: readonly string[], known: KnownWords): Measured[] {
  if (!words.some(word => beginsWithDigit.test(word))) return []
  return measuresIn(words, known).flatMap(measure => {
    const own = measure.words.length === 1 ? spellings(measure, known) : gluedSpellings(measure, known)
    const alternatives = [
      ...own,
      ...otherReadings(measure.value).flatMap(value => spellings({ ...measure, value }, known)),
      ...converted(Number(measure.value), measure.unit, known.units).flatMap(other =>
        spellings({ ...measure, ...other }, known),
      ),
    ]
    const measured = measure.words.flatMap(word => alternatives.map(alternative => ({ word, alternative })))
    // A number stands for itself beside any unit, but a unit only beside its number.
    const [, unit] = measure.words
    const beside = unit === undefined ? [] : besideNumber(measure, known)
    return [...measured, ...beside.map(alternative => ({ word: unit!, alternative }))]
  })
}

function measuresIn(words: readonly string[], { units }: KnownWords): Measure[] {
  const measures: Measure[] = []
  for (const [at, word] of words.entries()) {
    const parts = glued.exec(word)
    const unit = units.get(parts?.[2] ?? '')
    const next = units.get(words[at + 1] ?? '')
    if (parts && unit) measures.push({ value: parts[1]!, unit, words: [word] })
    else if (next && number.test(word))
      measures.push({ value: word, unit: next, words: [word, words[at + 1]!] })
  }
  return measures
}

const spellings = (measure: Measure, known: KnownWords): Alternative[] => [
  ...gluedSpellings(measure, known),
  ...besideNumber(measure, known),
]

/** `27inch` for `27 in`. */
function gluedSpellings({ value, unit, words }: Measure, known: KnownWords): Alternative[] {
  const terms = new Set<number>()
  for (const spelling of unit.spellings)
    if (value + spelling !== words[0]) terms.add(termOf(value + spelling, known))
  terms.delete(-1)
  return [...terms].map(term => alternativeOf('unit', term, UNIT_WEIGHT, known))
}

/** `27 inches` for `27 in`. */
function besideNumber({ value, unit }: Measure, known: KnownWords): Alternative[] {
  const number = termOf(value, known)
  if (number < 0) return []
  const { frequencies } = known.segments
  const terms = new Set(unit.spellings.map(spelling => termOf(spelling, known)))
  terms.delete(-1)
  return [...terms].flatMap(term => {
    if (Math.min(frequencies.of(term), frequencies.of(number)) > MOST_FREQUENT) return []
    const standing = known.standing([number, term])
    return standing ? [standingAlternative('unit', standing, UNIT_WEIGHT, known)] : []
  })
}
