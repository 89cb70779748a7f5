import porter from 'natural/lib/natural/stemmers/porter_stemmer.js'
import { regular } from './irregular-plurals.ts'

/** Porter's stem ("An algorithm for suffix stripping", 1980) of an English word; other terms are their own stem. */
export function englishStem(term: string): string {
  return isEnglishWord(term) ? porter.stem(regular(term)) : term
}

function isEnglishWord(term: string): boolean {
  if (term.length < 3) return false
  for (let i = 0; i < term.length; i++) {
    const code = term.charCodeAt(i)
    if (code < 97 || code > 122) return false
  }
  return true
}
