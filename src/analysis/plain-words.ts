import { lowered } from './fold.ts'

const cjk = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]+/gu
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** Created on first use: it is slow to create, and few texts have such runs. */
let segmenter: Intl.Segmenter | undefined

/**
 * The words of a text, in lower case, with their accents; runs of Han and kana are segmented. Markup has been read before: read
 * twice, a tag that the text shows, such as `&lt;i&gt;`, would be lost.
 */
export function wordsIn(text: string): string[] {
  const plain = lowered(text)
  if (plain.search(cjk) === -1) return plain.match(word) ?? []
  const words: string[] = []
  let from = 0
  const addUpTo = (to: number) => {
    for (const found of plain.slice(from, to).match(word) ?? []) words.push(found)
  }
  for (const { 0: run, index } of plain.matchAll(cjk)) {
    addUpTo(index)
    segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
    for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike) words.push(segment)
    from = index + run.length
  }
  addUpTo(plain.length)
  return words
}
