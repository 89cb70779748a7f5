import { isDateText } from './date-text.ts'
import { numberListIn } from './number-list.ts'
import { readNumber } from './number-text.ts'

/** What a short text is by its look. A code is one word, or several, with digits in it: `AB-1200`, `4006381333931`. */
export type ContentKind = 'words' | 'whole' | 'decimal' | 'date' | 'address' | 'code'

/** No number, date or code is longer, and few addresses. */
const longestTold = 200
/** Maximum number of values that are kept to detect repetition. */
const mostKept = 2000

const schemes = ['http://', 'https://', 'ftp://', 'www.', 'mailto:', '//']
const files = /\.(?:jpe?g|png|gif|webp|svg|avif|tiff?|bmp|pdf|mp4)$/i

/** Undefined for a blank text. A list of numbers counts as a number. */
export function contentKindOf(given: string): ContentKind | undefined {
  const isLong = given.length > longestTold
  const text = (isLong ? given.slice(0, longestTold) : given).trim()
  if (text === '') return isLong ? 'words' : undefined
  if (numberListIn(given)) return 'decimal'
  if (isAddress(text)) return 'address'
  if (isLong) return 'words'
  if (isDateText(text)) return 'date'
  if (readNumber(text)) return /^\d+$/.test(text) ? 'whole' : 'decimal'
  return isCode(text) ? 'code' : 'words'
}

function isAddress(text: string): boolean {
  if (/\s/.test(text)) return false
  const small = text.toLowerCase()
  return schemes.some(scheme => small.startsWith(scheme)) || files.test(small) || isMailAddress(small)
}

function isMailAddress(text: string): boolean {
  const at = text.indexOf('@')
  return at > 0 && at === text.lastIndexOf('@') && text.indexOf('.', at) > at + 1
}

/** Up to four words, each with a digit or of capitals, and one with a digit. */
function isCode(text: string): boolean {
  const words = text.split(/\s+/)
  if (words.length > 4 || !/\d/.test(text)) return false
  return words.every(word => /\d/.test(word) || /^[\p{Lu}\-_./]{1,4}$/u.test(word))
}

/** What the values of one field are, as far as some of them show. */
export class FieldContent {
  readonly #counts = new Map<ContentKind, number>()
  readonly #values = new Set<string>()
  #filled = 0
  #repeated = 0
  #length = 0
  #spaced = 0
  #spacedLength = 0
  #zeros = 0
  #currencies = 0
  readonly #digits = new Set<number>()

  add(text: string): void {
    const kind = contentKindOf(text)
    if (!kind) return
    this.#filled++
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    this.#length += text.length
    const trimmed = text.length > longestTold ? text.slice(0, longestTold) : text.trim()
    if (/\s/.test(trimmed)) {
      this.#spaced++
      this.#spacedLength += text.length
    }
    if (kind === 'decimal' && readNumber(trimmed)?.currency) this.#currencies++
    if (kind === 'whole') {
      this.#digits.add(trimmed.length)
      if (trimmed.length > 1 && trimmed.startsWith('0')) this.#zeros++
    }
    if (this.#values.has(trimmed)) this.#repeated++
    else if (this.#values.size < mostKept) this.#values.add(trimmed)
  }

  /** Values that are not blank. */
  get filled(): number {
    return this.#filled
  }

  /** The share of the values that are of these kinds. */
  share(...kinds: readonly ContentKind[]): number {
    return this.#filled === 0 ? 0 : this.count(...kinds) / this.#filled
  }

  /** How many values are of these kinds. */
  count(...kinds: readonly ContentKind[]): number {
    return kinds.reduce((sum, kind) => sum + (this.#counts.get(kind) ?? 0), 0)
  }

  /** The share of the values that are amounts of money, by their currency sign. */
  get currencies(): number {
    return this.#filled === 0 ? 0 : this.#currencies / this.#filled
  }

  /** The share of the values that had occurred before. */
  get repetition(): number {
    return this.#filled === 0 ? 0 : this.#repeated / this.#filled
  }

  /** Mean number of characters. */
  get length(): number {
    return this.#filled === 0 ? 0 : this.#length / this.#filled
  }

  /** Mean number of characters of values of several words; undefined where there is none. */
  get phraseLength(): number | undefined {
    return this.#spaced === 0 ? undefined : this.#spacedLength / this.#spaced
  }

  /** The share of the values that have several words. */
  get phrases(): number {
    return this.#filled === 0 ? 0 : this.#spaced / this.#filled
  }

  /** Whether whole numbers are identifiers, not quantities: all are as long as article numbers, or some begin with a zero. */
  get areNumerals(): boolean {
    return (
      this.#zeros > 0 || ([...this.#digits].every(digits => gtinLengths.has(digits)) && this.#digits.size > 0)
    )
  }
}

/** Digits of article numbers that are printed as bars. */
const gtinLengths = new Set([8, 12, 13, 14])
