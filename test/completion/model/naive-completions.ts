import { fold } from '../../../src/analysis/fold.ts'

export interface NaiveCompletion {
  text: string
  count: number
  corrected: boolean
}

interface Options {
  limit: number
  typoTolerance: 0 | 1
}

type Fits = (typed: string, word: string | undefined) => boolean

/** Of texts without Han and kana. */
const tokens = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** What completions promise, worked out anew for every question from the list of all titles. */
export function naiveCompletions(
  titles: readonly string[],
  text: string,
  options: Options,
): NaiveCompletion[] {
  const typed = tokens(text)
  if (typed.length === 0) return []
  const known = titles.flatMap(tokens)
  const unknown = typed.filter(one => !begins(known, one))
  const correctable = options.typoTolerance === 0 ? [[]] : [[], unknown, typed]
  const answers = correctable.map(words => ranked(titles, typed, new Set(words)))
  return (answers.find(found => found.length > 0) ?? []).slice(0, options.limit)
}

function ranked(
  titles: readonly string[],
  typed: readonly string[],
  correctable: ReadonlySet<string>,
): NaiveCompletion[] {
  return [...new Set(titles)]
    .map(text => ({ text, count: titles.filter(title => title === text).length, words: tokens(text) }))
    .map(title => ({ ...title, fits: fitsOf(title.words, typed, correctable) }))
    .filter(({ words, fits }) => typed.every(one => words.some(word => fits(one, word))))
    .sort(
      (a, b) =>
        orderOf(a.words, typed, a.fits) - orderOf(b.words, typed, b.fits) ||
        corrections(a.words, typed) - corrections(b.words, typed) ||
        b.count - a.count ||
        a.text.length - b.text.length ||
        (a.text < b.text ? -1 : 1),
    )
    .map(({ text, count }) => ({ text, count, corrected: correctable.size > 0 }))
}

/** What a typed word may stand for in a title: if any word begins so, such words alone. */
function fitsOf(words: readonly string[], typed: readonly string[], correctable: ReadonlySet<string>): Fits {
  const exact = new Set(typed.filter(one => begins(words, one)))
  return (one, word) => {
    if (word === undefined) return false
    return exact.has(one) ? word.startsWith(one) : correctable.has(one) && beginsNear(word, one)
  }
}

const begins = (words: readonly string[], typed: string) => words.some(word => word.startsWith(typed))

const corrections = (words: readonly string[], typed: readonly string[]) =>
  typed.filter(one => !begins(words, one)).length

function orderOf(words: readonly string[], typed: readonly string[], fits: Fits): number {
  const isWhole = (one: string, i: number) =>
    i === typed.length - 1 || !words[i]!.startsWith(one) || words[i] === one
  if (typed.every((one, i) => fits(one, words[i]) && isWhole(one, i))) return 0
  let next = 0
  for (const word of words) if (next < typed.length && fits(typed[next]!, word)) next++
  return next === typed.length ? 1 : 2
}

/** Whether one edit makes the typed word a beginning of this word. */
export function beginsNear(word: string, typed: string): boolean {
  if (typed.length < 3 || /^\p{N}+$/u.test(typed) || word.startsWith(typed)) return false
  const lengths = [typed.length - 1, typed.length, typed.length + 1].filter(length => length <= word.length)
  return lengths.some(length => areOneEditApart(typed, word.slice(0, length)))
}

function areOneEditApart(a: string, b: string): boolean {
  const without = (text: string, i: number) => text.slice(0, i) + text.slice(i + 1)
  const places = [...Array(Math.max(a.length, b.length)).keys()]
  const swapped = (i: number) => a.slice(0, i) + (a[i + 1] ?? '') + a[i] + a.slice(i + 2)
  return (
    places.some(i => without(a, i) === b || a === without(b, i) || swapped(i) === b) ||
    (a.length === b.length && places.some(i => without(a, i) === without(b, i)))
  )
}
