import type { Term } from './leaves.ts'
import type { TermPart } from './wildcards.ts'

const spaces = /\s*/y
// Ends at a sign with a meaning: && and || have one, a single & or | has none.
const run = /(?:[^\s()[\]{}"~^:*?\\&|]|&(?!&)|\|(?!\|))+/y
const listRun = /[^,\]\\]+/y
const rangeRun = /[^\s\]}\\]+/y
const keywordEnd = /[\s()"[\]{}]/

/** Reads the parts of a query from left to right; each character is examined a bounded number of times. */
export class Scanner {
  readonly text: string
  at = 0
  /** No quote closes from here on. */
  #unclosedFrom = Number.POSITIVE_INFINITY

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  get char(): string {
    return this.text[this.at] ?? ''
  }

  skipSpaces(): boolean {
    return this.match(spaces) !== ''
  }

  /** Consumes what the sticky expression matches here; returns the empty text where it does not match. */
  match(expression: RegExp): string {
    expression.lastIndex = this.at
    const found = expression.exec(this.text)?.[0] ?? ''
    this.at += found.length
    return found
  }

  take(sign: string): boolean {
    if (!this.text.startsWith(sign, this.at)) return false
    this.at += sign.length
    return true
  }

  /** `AND`, `OR`, `NOT`, `TO` and the like, as a whole word. */
  takeKeyword(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false
    const end = this.at + word.length
    if (end < this.text.length && !keywordEnd.test(this.text[end]!)) return false
    this.at = end
    return true
  }

  /** @param withColons whether a colon belongs to the term, as in a time */
  term(withColons: boolean): Term {
    const parts: TermPart[] = []
    let literal = ''
    const flush = () => {
      if (literal !== '') parts.push({ text: literal })
      literal = ''
    }
    for (;;) {
      literal += this.match(run)
      const { char } = this
      if (char === '\\') {
        this.at++
        if (this.isAtEnd) break
        literal += this.char
        this.at++
      } else if (char === '*' || char === '?') {
        flush()
        parts.push(char)
        this.at++
      } else if (char === ':' && withColons) {
        literal += char
        this.at++
      } else {
        break
      }
    }
    flush()
    const text = parts.map(part => (typeof part === 'string' ? part : part.text)).join('')
    return { text, parts, isQuoted: false }
  }

  get isAtQuote(): boolean {
    return this.char === '"'
  }

  /** The text between two quotes; undefined, and nothing consumed, where the quote does not close. */
  quoted(): Term | undefined {
    if (this.at >= this.#unclosedFrom) return undefined
    const term = this.#upTo('"')
    if (!term) this.#unclosedFrom = this.at
    return term
  }

  /** The same for single quotes, as in other query languages. */
  singleQuoted(): Term | undefined {
    return this.char === "'" ? this.#upTo("'") : undefined
  }

  /** @param closing the sign that ends the text after the one here */
  #upTo(closing: string): Term | undefined {
    let text = ''
    let from = this.at + 1
    for (let at = from; at < this.text.length; at++) {
      const char = this.text[at]!
      if (char === '\\') {
        text += this.text.slice(from, at)
        from = ++at
      } else if (char === closing) {
        text += this.text.slice(from, at)
        this.at = at + 1
        return { text, parts: [], isQuoted: true }
      }
    }
    return undefined
  }

  /** An unquoted value of a list: everything up to the next comma or bracket. */
  listed(): Term {
    return { text: this.#unescaped(listRun).trimEnd(), parts: [], isQuoted: false }
  }

  /** An unquoted end of a range: everything up to the next space or bracket. */
  rangeEnd(): Term {
    const start = this.at
    const text = this.#unescaped(rangeRun)
    const isOpen = text === '*' && this.at === start + 1
    return { text, parts: isOpen ? ['*'] : [], isQuoted: false }
  }

  /** Consumes what the expression matches, and single characters after backslashes in between. */
  #unescaped(expression: RegExp): string {
    let text = ''
    for (;;) {
      text += this.match(expression)
      if (this.char !== '\\') return text
      text += this.text[this.at + 1] ?? ''
      this.at = Math.min(this.text.length, this.at + 2)
    }
  }
}
