/** A dictionary word and how often it is used. */
export interface CountedWord {
  readonly word: string
  readonly count: number
}

const maxEdits = 2
/** Deletions are made in so many first letters only; SymSpell's default. */
const prefixLength = 7

/**
 * The rule of SymSpell (Wolf Garbe, 2012): of the words within two edits, those of the fewest edits; of these the most
 * frequent. Candidates share what is left of them after up to two deletions on both sides.
 */
export class SymSpell {
  readonly #counts: ReadonlyMap<string, number>
  readonly #byRemainder = new Map<string, string[]>()

  constructor(dictionary: readonly CountedWord[]) {
    this.#counts = new Map(dictionary.map(({ word, count }) => [word, count]))
    for (const { word } of dictionary)
      for (const remainder of remaindersOf(word)) {
        const words = this.#byRemainder.get(remainder)
        if (words) words.push(word)
        else this.#byRemainder.set(remainder, [word])
      }
  }

  /** The word itself where the dictionary has it, or nothing near. */
  correct(word: string): string {
    if (this.#counts.has(word)) return word
    let best = { word, edits: maxEdits + 1, count: 0 }
    for (const candidate of this.#candidatesOf(word)) {
      const edits = editsBetween(word, candidate)
      const count = this.#counts.get(candidate)!
      if (edits < best.edits || (edits === best.edits && edits <= maxEdits && count > best.count))
        best = { word: candidate, edits, count }
    }
    return best.word
  }

  #candidatesOf(word: string): Set<string> {
    return new Set([...remaindersOf(word)].flatMap(remainder => this.#byRemainder.get(remainder) ?? []))
  }
}

/** What is left of the first letters of a word without up to two of them. */
function remaindersOf(word: string): Set<string> {
  const remainders = new Set([word.slice(0, prefixLength)])
  let last = [...remainders]
  for (let deleted = 0; deleted < maxEdits; deleted++) {
    last = last.flatMap(rest => Array.from(rest, (_, at) => rest.slice(0, at) + rest.slice(at + 1)))
    for (const rest of last) remainders.add(rest)
  }
  return remainders
}

/** Insertions, deletions, substitutions and swaps of neighbours, no letter touched twice ("optimal string alignment"). */
export function editsBetween(a: string, b: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      if (isSwap) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1)
    }
    ;[beforeLast, last] = [last, row]
  }
  return last[b.length]!
}
