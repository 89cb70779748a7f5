import { fold } from '../analysis/fold.ts'

/** A part of a term: literal text or a wildcard. */
export type TermPart = { readonly text: string } | '*' | '?'

const wordUnit = /[\p{L}\p{N}\p{M}]/u

/**
 * The word patterns that a term with wildcards asks for, folded: `Wi-F*` gives `wi` and `f*`. A pattern that matches any word
 * is dropped beside others.
 */
export function patternsIn(parts: readonly TermPart[]): string[] {
  const patterns: string[] = []
  let pattern = ''
  let isAny = false
  const end = () => {
    if (pattern !== '') patterns.push(pattern)
    pattern = ''
  }
  for (const part of parts) {
    if (part === '*' && isAny && pattern !== '') continue
    isAny = part === '*'
    if (typeof part === 'string') {
      pattern += part
    } else {
      for (const char of fold(part.text)) {
        if (wordUnit.test(char)) pattern += char
        else end()
      }
    }
  }
  end()
  const telling = patterns.filter(one => one !== '*')
  return telling.length > 0 ? telling : patterns.slice(0, 1)
}

export const hasWildcard = (pattern: string): boolean => /[*?]/.test(pattern)

/**
 * Compiles a pattern in which `*` stands for any characters and `?` for one. Where a part after a `*` does not match, only
 * that `*` is extended, never an earlier one: time is at most the product of both lengths.
 */
export function compilePattern(pattern: string): (word: string) => boolean {
  const wanted = [...pattern]
  const least = wanted.filter(char => char !== '*').length
  return word => {
    if (word.length < least) return false
    let [at, next] = [0, 0]
    let [star, taken] = [-1, 0]
    while (at < word.length) {
      const char = String.fromCodePoint(word.codePointAt(at)!)
      if (wanted[next] === '*') {
        star = next++
        taken = at
      } else if (wanted[next] === '?' || wanted[next] === char) {
        at += char.length
        next++
      } else if (star >= 0) {
        taken += String.fromCodePoint(word.codePointAt(taken)!).length
        at = taken
        next = star + 1
      } else {
        return false
      }
    }
    while (wanted[next] === '*') next++
    return next === wanted.length
  }
}
