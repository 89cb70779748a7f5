import { pick, randomInteger } from './random.ts'

const alphabet = 'abcdefghijklmnopqrstuvwxyz'

type Edit = (word: readonly string[], next: () => number) => string[]

const insert: Edit = (word, next) =>
  word.toSpliced(randomInteger(next, word.length + 1), 0, pick(next, alphabet))
const remove: Edit = (word, next) => word.toSpliced(randomInteger(next, word.length), 1)
const substitute: Edit = (word, next) => word.with(randomInteger(next, word.length), pick(next, alphabet))
const transpose: Edit = (word, next) => {
  const at = randomInteger(next, word.length - 1)
  return word.toSpliced(at, 2, word[at + 1]!, word[at]!)
}
const edits = [insert, remove, substitute, transpose]

/** One random edit anywhere in one random word of four letters or more; a query without such a word stays. */
export function withTypo(query: string, next: () => number): string {
  const words = [...query.matchAll(/\p{L}{4,}/gu)]
  if (words.length === 0) return query
  const { 0: word, index } = pick(next, words)
  return query.slice(0, index) + misspelt(word, next) + query.slice(index + word.length)
}

function misspelt(word: string, next: () => number): string {
  const letters = [...word]
  // A word of one repeated letter survives many edits (swapping equals, replacing by itself): draw again.
  for (;;) {
    const edited = pick(next, edits)(letters, next).join('')
    if (edited !== word) return edited
  }
}
