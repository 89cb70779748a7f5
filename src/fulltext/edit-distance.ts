import { distance as levenshtein } from 'fastest-levenshtein'

/** True when at most `most` edits (insert, delete, substitute, swap of neighbours) turn one word into the other. */
export function isWithin(typed: string, meant: string, most: number): boolean {
  const withoutSwaps = levenshtein(typed, meant)
  // A swap is two edits to Levenshtein: the distance with swaps lies between half of his and his.
  if (withoutSwaps <= most || withoutSwaps > 2 * most) return withoutSwaps <= most
  return alignmentCost(typed, meant, evenCosts) <= most
}

/**
 * How unlikely it is that `meant` was typed as `typed`: vowels taken for each other, letters that sound alike,
 * doubled or forgotten letters and swaps cost less than other edits, the first letter more. The costs were
 * fitted to public lists of misspellings.
 */
export function typingCost(typed: string, meant: string): number {
  return alignmentCost(typed, meant, typingCosts)
}

const alikeVowels = ['ie', 'ae', 'oa', 'ou', 'ei', 'yi', 'ea']

interface EditCosts {
  /** By letters typed and meant, a to z. */
  readonly substitute: Float64Array
  readonly substituteOther: number
  readonly add: number
  readonly drop: number
  /** Adding or dropping a letter equal to the one before it. */
  readonly double: number
  readonly swap: number
  /** Added to an edit of the first letter. */
  readonly first: number
}

const LETTERS = 26

const evenCosts: EditCosts = {
  substitute: new Float64Array(LETTERS * LETTERS).fill(1),
  substituteOther: 1,
  add: 1,
  drop: 1,
  double: 1,
  swap: 1,
  first: 0,
}

const typingCosts: EditCosts = {
  substitute: substitutions(),
  substituteOther: 1.85,
  add: 1.61,
  drop: 0.7,
  double: 0.4,
  swap: 0.75,
  first: 0.63,
}

function substitutions(): Float64Array {
  const costs = new Float64Array(LETTERS * LETTERS).fill(1.85)
  const set = (a: string, b: string, cost: number) => {
    costs[letter(a.charCodeAt(0)) * LETTERS + letter(b.charCodeAt(0))] = cost
  }
  for (const a of 'aeiouy') for (const b of 'aeiouy') set(a, b, 0.99)
  for (const [a, b] of ['ck', 'cs', 'sz', 'fv', 'gj', 'bp', 'dt', 'mn', 'kq', 'xs', 'lr', ...alikeVowels]) {
    set(a!, b!, 0.8)
    set(b!, a!, 0.8)
  }
  return costs
}

function letter(code: number): number {
  return code - 97
}

// Each takes the places, counted from 1, of the letters it edits.

function changeCost(costs: EditCosts, typed: string, i: number, meant: string, j: number): number {
  const a = letter(typed.charCodeAt(i - 1))
  const b = letter(meant.charCodeAt(j - 1))
  if (a === b) return 0
  const isKnown = a >= 0 && a < LETTERS && b >= 0 && b < LETTERS
  const cost = isKnown ? costs.substitute[a * LETTERS + b]! : costs.substituteOther
  return i === 1 || j === 1 ? cost + costs.first : cost
}

function addCost(costs: EditCosts, typed: string, i: number): number {
  if (i === 1) return costs.add + costs.first
  return typed.charCodeAt(i - 1) === typed.charCodeAt(i - 2) ? costs.double : costs.add
}

function dropCost(costs: EditCosts, meant: string, j: number): number {
  if (j === 1) return costs.drop + costs.first
  return meant.charCodeAt(j - 1) === meant.charCodeAt(j - 2) ? costs.double : costs.drop
}

function isSwap(typed: string, i: number, meant: string, j: number): boolean {
  if (i < 2 || j < 2) return false
  const last = typed.charCodeAt(i - 1)
  const before = typed.charCodeAt(i - 2)
  return last !== before && last === meant.charCodeAt(j - 2) && before === meant.charCodeAt(j - 1)
}

function swapCost({ swap, first }: EditCosts, i: number, j: number): number {
  return i === 2 || j === 2 ? swap + first / 2 : swap
}

/** The cheapest alignment in which no part is edited twice (optimal string alignment). */
function alignmentCost(typed: string, meant: string, costs: EditCosts): number {
  const width = meant.length + 1
  const table = new Float64Array(width * (typed.length + 1))
  for (let j = 1; j < width; j++) table[j] = table[j - 1]! + dropCost(costs, meant, j)
  for (let i = 1; i <= typed.length; i++) {
    const added = addCost(costs, typed, i)
    table[i * width] = table[(i - 1) * width]! + added
    for (let j = 1; j < width; j++) {
      const at = i * width + j
      const left = table[at - 1]! + dropCost(costs, meant, j)
      const above = table[at - width]! + added
      const diagonal = table[at - width - 1]! + changeCost(costs, typed, i, meant, j)
      let least = Math.min(left, above, diagonal)
      if (isSwap(typed, i, meant, j))
        least = Math.min(least, table[at - 2 * width - 2]! + swapCost(costs, i, j))
      table[at] = least
    }
  }
  return table[table.length - 1]!
}
