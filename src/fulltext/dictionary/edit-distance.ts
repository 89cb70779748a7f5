/**
 * True when at most `most` edits (insert, delete, substitute, swap of neighbours) turn `typed[i..typedEnd)` into
 * `meant[j..meantEnd)`. Common prefixes and suffixes need no edit, so each edit is only tried
 * at the first difference, and the last one must close the gap: for one or two edits this is
 * cheaper than a distance table, and it allocates nothing.
 */
export function areUnitsWithin(
  typed: Uint16Array,
  i: number,
  typedEnd: number,
  meant: Uint16Array,
  j: number,
  meantEnd: number,
  most: number,
): boolean {
  while (i < typedEnd && j < meantEnd && typed[i] === meant[j]) {
    i++
    j++
  }
  while (i < typedEnd && j < meantEnd && typed[typedEnd - 1] === meant[meantEnd - 1]) {
    typedEnd--
    meantEnd--
  }
  const typedLeft = typedEnd - i
  const meantLeft = meantEnd - j
  if (typedLeft <= most && meantLeft <= most) return true
  if (typedLeft - meantLeft > most || meantLeft - typedLeft > most || most === 0) return false
  const isSwap = typedLeft > 1 && meantLeft > 1 && typed[i] === meant[j + 1] && typed[i + 1] === meant[j]
  if (most === 1) return isSwap && typedLeft === 2 && meantLeft === 2
  const left = most - 1
  return (
    areUnitsWithin(typed, i + 1, typedEnd, meant, j + 1, meantEnd, left) ||
    areUnitsWithin(typed, i + 1, typedEnd, meant, j, meantEnd, left) ||
    areUnitsWithin(typed, i, typedEnd, meant, j + 1, meantEnd, left) ||
    (isSwap && areUnitsWithin(typed, i + 2, typedEnd, meant, j + 2, meantEnd, left))
  )
}

// Fitted to public lists of misspellings.
const SUBSTITUTE = 1.85
const SUBSTITUTE_VOWEL = 0.99
const SUBSTITUTE_ALIKE = 0.8
const ADD = 1.61
const DROP = 0.7
/** Adding or dropping a letter equal to the previous one. */
const DOUBLE = 0.4
const SWAP = 0.75
/** Added to an edit of the first letter. */
const FIRST = 0.63

const alikeVowels = ['ie', 'ae', 'oa', 'ou', 'ei', 'yi', 'ea']
const alikeConsonants = ['ck', 'cs', 'sz', 'fv', 'gj', 'bp', 'dt', 'mn', 'kq', 'xs', 'lr']

const LETTERS = 26
const SMALL_A = 97
/** By letters typed and meant, a to z. */
const substitutions = substitutionCosts()

function substitutionCosts(): Float64Array {
  const costs = new Float64Array(LETTERS * LETTERS).fill(SUBSTITUTE)
  const set = (a: string, b: string, cost: number) => {
    costs[(a.charCodeAt(0) - SMALL_A) * LETTERS + b.charCodeAt(0) - SMALL_A] = cost
  }
  for (const a of 'aeiouy') for (const b of 'aeiouy') set(a, b, SUBSTITUTE_VOWEL)
  for (const [a, b] of [...alikeConsonants, ...alikeVowels]) {
    set(a!, b!, SUBSTITUTE_ALIKE)
    set(b!, a!, SUBSTITUTE_ALIKE)
  }
  return costs
}

/** A typed word, to be compared with many terms; reusable for other words. Neither allocates anything. */
export class TypedWord {
  #units = new Uint16Array(0)
  #length = 0
  /** By letter: the cost of having typed it although it is not in the term. */
  #adds = new Float64Array(0)
  /** By letter of the term: the cost of having omitted it. */
  #drops = new Float64Array(0)
  // The last three rows of the cost table.
  #row = new Float64Array(0)
  #above = new Float64Array(0)
  #twoAbove = new Float64Array(0)

  set(word: string): void {
    this.#length = word.length
    if (word.length > this.#units.length) {
      this.#units = new Uint16Array(word.length)
      this.#adds = new Float64Array(word.length)
    }
    for (let i = 0; i < word.length; i++) this.#units[i] = word.charCodeAt(i)
    costsOfSingles(this.#units, 0, word.length, ADD, this.#adds)
  }

  /**
   * How unlikely it is that the word `units[start..end)` was meant: confused vowels, letters that sound alike,
   * doubled or omitted letters and swaps cost less than other edits; edits of the first letter cost more. It is
   * the cheapest alignment in which no part is edited twice (optimal string alignment).
   */
  cost(units: Uint16Array, start: number, end: number): number {
    const length = end - start
    if (length >= this.#row.length) this.#reserve(length + 1)
    costsOfSingles(units, start, end, DROP, this.#drops)
    this.#row[0] = 0
    for (let j = 0; j < length; j++) this.#row[j + 1] = this.#row[j]! + this.#drops[j]!
    for (let i = 0; i < this.#length; i++) this.#fillRow(i, units, start, length)
    return this.#row[length]!
  }

  #fillRow(i: number, units: Uint16Array, start: number, length: number): void {
    const twoAbove = this.#above
    const above = this.#row
    const row = this.#twoAbove
    const drops = this.#drops
    const add = this.#adds[i]!
    const typed = this.#units[i]!
    const typedBefore = i > 0 ? this.#units[i - 1]! : -1
    let meantBefore = -1
    let least = above[0]! + add
    row[0] = least
    for (let j = 0; j < length; j++) {
      const meant = units[start + j]!
      least += drops[j]!
      least = Math.min(least, above[j + 1]! + add)
      least = Math.min(least, above[j]! + changeCost(typed, i, meant, j))
      if (typed === meantBefore && meant === typedBefore && typed !== meant) {
        least = Math.min(least, twoAbove[j - 1]! + (i === 1 || j === 1 ? SWAP + FIRST / 2 : SWAP))
      }
      row[j + 1] = least
      meantBefore = meant
    }
    this.#twoAbove = twoAbove
    this.#above = above
    this.#row = row
  }

  #reserve(length: number): void {
    this.#drops = new Float64Array(length)
    this.#row = new Float64Array(length)
    this.#above = new Float64Array(length)
    this.#twoAbove = new Float64Array(length)
  }
}

/** By letter: its cost if the other word lacks it. */
function costsOfSingles(
  units: Uint16Array,
  start: number,
  end: number,
  usual: number,
  costs: Float64Array,
): void {
  for (let at = start; at < end; at++) {
    if (at === start) costs[0] = usual + FIRST
    else costs[at - start] = units[at] === units[at - 1] ? DOUBLE : usual
  }
}

function changeCost(typed: number, i: number, meant: number, j: number): number {
  if (typed === meant) return 0
  const a = typed - SMALL_A
  const b = meant - SMALL_A
  const isKnown = a >= 0 && a < LETTERS && b >= 0 && b < LETTERS
  const cost = isKnown ? substitutions[a * LETTERS + b]! : SUBSTITUTE
  return i === 0 || j === 0 ? cost + FIRST : cost
}
