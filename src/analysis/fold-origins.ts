import { fold, nonJoiner } from './fold.ts'

/** Where folded text comes from: its unit `i` from the letter `text.slice(starts[i], ends[i])`. */
export interface FoldOrigins {
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

// Includes soft hyphens and the like, which always fold to nothing.
const mark = /^(?:[\p{M}\u00ad\u2060\ufeff\u0640]|\u200d)/u
const letters = /[\p{L}\p{N}\p{M}\p{Emoji_Presentation}]/u
// Characters that compose with the letter before them and are not marks: Hangul vowels and finals, Kirat Rai vowel signs.
const composing = /^[\u1161-\u1175\u11a8-\u11c2\u{16d63}-\u{16d6a}]/u

/**
 * The origins of all units of `folded`, which is `fold(text)`. A letter is a character with its marks, or the Hangul jamo of one
 * syllable: the smallest parts that fold separately to the same as within the text.
 */
export function foldOrigins(text: string, folded: string): FoldOrigins {
  const { length } = folded
  const origins = { starts: new Uint32Array(length), ends: new Uint32Array(length) }
  let unit = 0
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = letterEnd(text, start)
    const units = isPlain(text, start) && end === start + 1 ? 1 : fold(text.slice(start, end)).length
    for (const last = unit + units; unit < last; unit++) {
      origins.starts[unit] = start
      origins.ends[unit] = end
    }
  }
  return origins
}

/** Where the marks that begin at `from` end, if there are any. Half-width voice marks fold to marks and count as such. */
export function marksEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && !isPlain(text, end)) {
    const next = characterAt(text, end)
    if (!mark.test(next.normalize('NFKD')) && !joins(text, end)) break
    end += next.length
  }
  return end
}

/** Whether a zero-width non-joiner is one that folding drops, beside a virama. */
function joins(text: string, at: number): boolean {
  return text[at] === nonJoiner && !fold(text.slice(at - 1, at + 2)).includes(nonJoiner)
}

/** Where the character at `at` ends with its marks. */
export function markedEnd(text: string, at: number): number {
  if (isPlain(text, at) && isPlain(text, at + 1)) return at + 1
  const character = characterAt(text, at)
  const end = at + character.length
  const marked = marksEnd(text, end)
  if (marked === end || mark.test(character)) return marked
  const folded = fold(character)
  // A sign such as that of inch takes only marks that fold to nothing.
  return letters.test(folded) || fold(text.slice(at, marked)) === folded ? marked : end
}

function letterEnd(text: string, start: number): number {
  let end = markedEnd(text, start)
  while (end < text.length && composes(text, start, end)) end = markedEnd(text, end)
  return end
}

function composes(text: string, start: number, end: number): boolean {
  if (isPlain(text, end)) return false
  const next = characterAt(text, end)
  if (!composing.test(next.normalize('NFKD'))) return false
  const letter = text.slice(start, end)
  return fold(letter + next) !== fold(letter) + fold(next)
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at)!)
}

// Only a shortcut: ASCII, CJK punctuation, kana, Han, Hangul syllables and full-width forms are no marks and fold
// to one unit each.
function isPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (
    code < 0x80 ||
    (code >= 0x3001 && code <= 0x3020) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x30a1 && code <= 0x30fe) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xff01 && code <= 0xff5e)
  )
}
