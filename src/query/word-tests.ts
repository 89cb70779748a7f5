import { areUnitsWithin } from '../fulltext/dictionary/edit-distance.ts'
import { unitsOf } from '../fulltext/dictionary/term-table.ts'
import type { FieldWords } from './document-reading.ts'
import type { Bound, Near, Pattern, Range, Word, WordSequence } from './query.ts'
import { compilePattern } from './wildcards.ts'

/** A leaf that asks for one word: a field matches if one of its words does. */
export type OneWord = Word | Pattern | Near | Extract<Range, { over: 'words' }>

/** A leaf that asks for words. */
export type WordLeaf = OneWord | WordSequence

export function isWordLeaf(leaf: { kind: string; over?: string }): leaf is WordLeaf {
  const { kind, over } = leaf
  return kind === 'word' || kind === 'words' || kind === 'pattern' || kind === 'near' || over === 'words'
}

/** Whether a word matches the leaf. */
export function wordTest(leaf: OneWord): (word: string) => boolean {
  switch (leaf.kind) {
    case 'word':
      return word => word === leaf.word
    case 'pattern':
      return compilePattern(leaf.pattern)
    case 'near':
      return nearness(leaf)
    case 'range':
      return betweenBounds(leaf.from, leaf.to)
  }
}

/** Whether the words of a field match the leaf. */
export function wordsTest(leaf: WordLeaf | AnyWords): (words: FieldWords) => boolean {
  if (leaf.kind === 'anyWords') return anyWordsTest(leaf)
  if (leaf.kind === 'words')
    return ({ texts, set }) =>
      leaf.words.every(word => set.has(word)) && texts.some(text => standsIn(leaf, text))
  if (leaf.kind === 'word') return ({ set }) => set.has(leaf.word)
  const fits = wordTest(leaf)
  return ({ set }) => someOf(set, fits)
}

/** Several words and phrases of one field, any of which may match. */
export interface AnyWords {
  readonly kind: 'anyWords'
  readonly field: string | null
  readonly of: readonly (Word | WordSequence)[]
}

/** Whether it may be a member of such a list: a word, or a phrase without slop. */
export const isPlainWords = (leaf: { kind: string }): leaf is Word | WordSequence =>
  leaf.kind === 'word' || (leaf.kind === 'words' && (leaf as WordSequence).slop === 0)

/** A trie of phrases: the words that may follow, and whether one of the phrases ends here. */
interface Following {
  readonly next: Map<string, Following>
  isEnd: boolean
}

/** Whether a field has one of the words or phrases, all of which are looked for in one pass. */
export function anyWordsTest({ of }: AnyWords): (words: FieldWords) => boolean {
  const single = new Set<string>()
  const phrases: Following = { next: new Map(), isEnd: false }
  for (const leaf of of) {
    if (leaf.kind === 'word') {
      single.add(leaf.word)
      continue
    }
    let at = phrases
    for (const word of leaf.words) {
      const next = at.next.get(word) ?? { next: new Map(), isEnd: false }
      at.next.set(word, next)
      at = next
    }
    at.isEnd = true
  }
  const hasPhrase = (text: readonly string[]) => {
    for (let from = 0; from < text.length; from++) {
      let at: Following | undefined = phrases
      for (let i = from; at && i < text.length; i++) {
        at = at.next.get(text[i]!)
        if (at?.isEnd) return true
      }
    }
    return false
  }
  return ({ texts, set }) =>
    (single.size < set.size
      ? someOf(single, word => set.has(word))
      : someOf(set, word => single.has(word))) ||
    (phrases.next.size > 0 && texts.some(hasPhrase))
}

export function betweenBounds<V extends string | number>(
  from: Bound<V> | null,
  to: Bound<V> | null,
): (value: V) => boolean {
  return value =>
    (!from || value > from.value || (from.inclusive && value === from.value)) &&
    (!to || value < to.value || (to.inclusive && value === to.value))
}

function someOf(words: ReadonlySet<string>, fits: (word: string) => boolean): boolean {
  for (const word of words) if (fits(word)) return true
  return false
}

/** From each occurrence of the first word, takes the next occurrence of every other: this leaves the fewest words between. */
function standsIn({ words, slop }: WordSequence, list: readonly string[]): boolean {
  for (let start = list.indexOf(words[0]!); start >= 0; start = list.indexOf(words[0]!, start + 1)) {
    const end = Math.min(list.length, start + words.length + slop)
    let reached = 1
    for (let at = start + 1; at < end && reached < words.length; at++) {
      if (list[at] === words[reached]) reached++
      else if (end - at <= words.length - reached) break
    }
    if (reached === words.length) return true
  }
  return false
}

function nearness({ word, edits }: Near): (other: string) => boolean {
  const units = unitsOf(word)
  return other => {
    if (Math.abs(other.length - word.length) > edits) return false
    return areUnitsWithin(units, 0, units.length, unitsOf(other), 0, other.length, edits)
  }
}
