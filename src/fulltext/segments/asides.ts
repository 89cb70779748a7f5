import type { Analyzer } from '../../analysis/analyzer.ts'
import { textOf } from '../dictionary/term-table.ts'
import { ASIDE } from './forward-list.ts'

/**
 * Finds the asides of titles: words after `for`, `with` and the like,
 * up to the next delimiter, which name something other than the product.
 */
export class AsideMarker {
  readonly #analyzer: Analyzer
  readonly #openings: ReadonlySet<string>
  readonly #most: number
  /** By some bits of a word's first unit: whether an opening may begin with it. This rules out most words. */
  readonly #beginnings = new Uint8Array(64)
  #tokens = 0

  /** `openings`: the words that open an aside. */
  constructor(analyzer: Analyzer, openings: ReadonlySet<string>) {
    this.#analyzer = analyzer
    this.#openings = openings
    this.#most = Math.max(...[...openings].map(word => word.length))
    for (const word of openings) this.#beginnings[word.charCodeAt(0) & 63] = 1
  }

  opens(chars: Uint16Array, length: number): boolean {
    if (this.#beginnings[chars[0]! & 63] === 0 || length > this.#most) return false
    return this.#openings.has(textOf(chars, 0, length))
  }

  /** Marks the tokens after the marked openings. `tokens`: those of the text, or the first of them. */
  complete(text: string, tokens: Uint32Array): void {
    let at = 0
    for (const clause of clausesOf(text)) {
      this.#tokens = 0
      this.#analyzer.scan(clause, this.#count)
      at = marked(tokens, at, this.#tokens)
    }
  }

  /** The same for a long text, piece by piece, as far as there are tokens; other texts may be marked in between. */
  *completing(text: string, tokens: Uint32Array): Generator<void> {
    let at = 0
    let from = 0
    for (let end = 0; end <= text.length && at < tokens.length; end++) {
      if (end % PIECE === 0) yield
      if (end < text.length && !isDelimiter(text, end)) continue
      at = marked(tokens, at, yield* this.#counting(text.slice(from, end + 1), tokens.length - at))
      from = end + 1
    }
  }

  /** Counts the tokens of a clause, up to a maximum. */
  *#counting(clause: string, most: number): Generator<void, number> {
    let count = 0
    for (const _ of this.#analyzer.scanInPieces(clause, () => count++)) {
      if (count >= most) return count
      if (clause.length > PIECE) yield
    }
    return count
  }

  readonly #count = (): void => {
    this.#tokens++
  }
}

/** Number of units of a text between two pauses. */
const PIECE = 8192

/** Marks the tokens of a clause after its opening; returns where they end. */
function marked(tokens: Uint32Array, from: number, count: number): number {
  const end = Math.min(from + count, tokens.length)
  let mark = 0
  for (let at = from; at < end; at++) {
    mark |= tokens[at]! & ASIDE
    tokens[at]! |= mark
  }
  return end
}

/** The text in pieces, each ending with a delimiter, except the last. */
export function* clausesOf(text: string): Generator<string> {
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (!isDelimiter(text, at)) continue
    yield text.slice(from, at + 1)
    from = at + 1
  }
  yield text.slice(from)
}

const always = new Set('|()[]{};:!?"“”–—•…、。，；：！？（）［］【】「」｜')

function isDelimiter(text: string, at: number): boolean {
  const char = text[at]!
  if (char === ',') return !isDigit(text[at + 1])
  if (char === '.') return isBlank(text[at + 1])
  if (char === '-' || char === '/') return isBlank(text[at - 1]) && isBlank(text[at + 1])
  return always.has(char)
}

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'

const isBlank = (char: string | undefined): boolean => char === undefined || /\s/.test(char)
