import type { AskingWords } from '../../analysis/asking-words.ts'
import type { FunctionWords } from '../../analysis/function-words.ts'
import type { QueryText } from './query-text.ts'
import { type Sifted, withPlaces } from './word-rules.ts'

const NONE: ReadonlySet<string> = new Set()

/**
 * The query without words that only say that something is wanted, provided that others remain: `i am looking for a`, `what ...
 * should i buy`, `best ... for`, `something to`. Words of phrases stay, as does the last word if it may be unfinished.
 */
export function withoutAsking(
  text: QueryText,
  { asking, all, negations }: FunctionWords,
  isBeginning: boolean,
): Sifted {
  const unchanged = { text, stopped: NONE }
  const { words, phrases } = text
  if (!asking || words.length < 3) return unchanged
  const isFixed = new Set(phrases.flatMap(phrase => phrase.words))
  if (isBeginning) isFixed.add(words.length - 1)
  const stays = words.map(() => true)
  const isSmall = (place: number) =>
    place < words.length &&
    !isFixed.has(place) &&
    !negations.has(words[place]!) &&
    (all.has(words[place]!) ||
      asking.sure.has(words[place]!) ||
      asking.unsure.has(words[place]!) ||
      asking.beside.has(words[place]!))
  for (let from = 0; from < words.length; from++) {
    let to = from
    while (isSmall(to)) to++
    if (asks(words.slice(from, to), asking)) stays.fill(false, from, to)
    if (to > from) from = to
  }
  // A request often begins with function words that say no more than the rest of it.
  if (stays.includes(false)) for (let at = 0; isSmall(at); at++) stays[at] = false
  const first = stays.indexOf(true)
  if (first >= 0 && !isFixed.has(first) && isPraise(words, first, asking)) stays[first] = false
  const isContent = (word: string, place: number) => stays[place] && !all.has(word)
  if (!stays.includes(false) || !words.some(isContent)) return unchanged
  const kept = withPlaces(text, stays)
  const left = new Set(kept.words)
  return { text: kept, stopped: new Set(words.filter(word => !left.has(word))) }
}

/** Whether consecutive words, each of which may be part of a request, form one together. */
function asks(run: readonly string[], { sure, unsure, beside }: AskingWords): boolean {
  if (run.length < 2) return false
  if (run.some(word => sure.has(word))) return true
  return run.some(word => unsure.has(word)) && run.some(word => beside.has(word) && !unsure.has(word))
}

/** `best running shoes for flat feet` */
function isPraise(words: readonly string[], at: number, { praising, purposes }: AskingWords): boolean {
  return praising.has(words[at]!) && words.some((word, place) => place > at + 1 && purposes.has(word))
}
