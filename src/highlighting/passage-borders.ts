import type { HighlightRange } from './highlight.ts'

const wordBefore = /[\p{L}\p{N}\p{M}]$/u
const wordAfter = /^[\p{L}\p{N}\p{M}]/u
const markAfter = /^\p{M}/u
// Written without spaces: a passage may begin and end at each of these.
const cjkBefore = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]$/u
const cjkAfter = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]/u

const spaces = /\s/
const lineEnds = /[\n\r\u2028\u2029]/
const closing = /["'”’»)\]]/
const sentenceEnds = /[.!?…]/
const cjkSentenceEnds = /[。！？]/

/**
 * A passage of at most `length` units around `core`, which is not longer. It begins with the sentence of the core
 * where that is near enough, else with a word, and ends with a word; words longer than the passage are cut
 * between letters.
 */
export function passageAround(text: string, core: HighlightRange, length: number): HighlightRange {
  const start = passageStart(text, core, length)
  return { start, end: passageEnd(text, start, core.end, start + length) }
}

/** The last place up to `target` where a word ends, or a letter at least; `least` when there is none after it. */
export function lastWordEnd(text: string, target: number, least: number): number {
  for (let at = target; at > least; at--) if (endsWord(text, at)) return at
  for (let at = target; at > least; at--) if (partsLetters(text, at)) return at
  return least
}

function passageStart(text: string, core: HighlightRange, length: number): number {
  const earliest = Math.max(0, core.end - length)
  // Near its end the text is not long enough after the core: what is left is filled from before it.
  const latest = Math.max(earliest, Math.min(core.start, text.length - length))
  for (let at = latest; at <= core.start; at++) if (startsSentence(text, at)) return at
  for (let at = latest; at >= earliest; at--) if (startsSentence(text, at)) return at
  const spare = length - (core.end - core.start)
  const wanted = Math.max(earliest, Math.min(latest, core.start - (spare >> 1)))
  for (let at = wanted; at < core.start; at++) if (startsWord(text, at)) return at
  return core.start
}

function passageEnd(text: string, start: number, coreEnd: number, target: number): number {
  if (target >= text.length) return text.length
  const end = lastWordEnd(text, target, Math.max(start, coreEnd - 1))
  if (end > start && end >= coreEnd) return end
  // One letter with more marks than there is room for.
  return splitsPair(text, target) ? target - 1 : target
}

function startsSentence(text: string, at: number): boolean {
  if (at === 0) return true
  if (isAt(spaces, text, at)) return false
  let last = at - 1
  if (isAt(cjkSentenceEnds, text, last)) return true
  if (!isAt(spaces, text, last)) return false
  for (; isAt(spaces, text, last); last--) if (isAt(lineEnds, text, last)) return true
  while (isAt(closing, text, last)) last--
  return last < 0 || isAt(sentenceEnds, text, last) || isAt(cjkSentenceEnds, text, last)
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  return at >= 0 && pattern.test(text.charAt(at))
}

function startsWord(text: string, at: number): boolean {
  return wordAfter.test(text.slice(at, at + 2)) && partsWords(text, at)
}

function endsWord(text: string, at: number): boolean {
  return wordBefore.test(text.slice(Math.max(0, at - 2), at)) && partsWords(text, at)
}

function partsWords(text: string, at: number): boolean {
  if (!partsLetters(text, at)) return false
  const before = text.slice(Math.max(0, at - 2), at)
  const after = text.slice(at, at + 2)
  return !wordBefore.test(before) || !wordAfter.test(after) || cjkBefore.test(before) || cjkAfter.test(after)
}

function partsLetters(text: string, at: number): boolean {
  return !splitsPair(text, at) && !markAfter.test(text.slice(at, at + 2).normalize('NFKD'))
}

function splitsPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}
