import { type ParsedTokenInfo, Tokenizer, TokenType } from '@streamparser/json'
import { type ErrorCode, FindlingError } from './errors.ts'
import { type JsonObject, type JsonValue, put } from './json.ts'
import { exactNumber, parseJson } from './json-text.ts'
import { Stretch } from './scheduling/stretch.ts'

/** Limits for a JSON text, which bound its memory use. */
export interface JsonLimits {
  /** Maximum number of objects, lists, texts, numbers and other values together. Default 5,000,000. */
  readonly values?: number
  /** Maximum number of entries of one list. Default: the limit of `values`. */
  readonly entries?: number
}

/** Texts of up to this many bytes are read at once, which takes a few milliseconds. */
export const BYTES_AT_ONCE = 256 * 1024

/** Bytes between two looks at the clock. */
const PIECE = 64 * 1024

const MOST_VALUES = 5_000_000
/** Documents may have 128 levels, and what surrounds them has few. */
const MOST_LEVELS = 1_000
/** Of one object: a larger one would need a block of memory larger than may be allocated. */
const MOST_MEMBERS = 100_000

/**
 * Reads a JSON text in UTF-8 from a stream; a text longer than 256 KB is parsed in short stretches. The result is that of
 * `parseJson()`, or undefined for a blank text.
 * @throws SyntaxError for invalid JSON, TypeError for invalid UTF-8, FindlingError INVALID_ARGUMENT for a text that is nested
 * too deeply or has an object with too many members, TOO_LARGE for too many values, or entries of a list
 */
export async function readJson(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: JsonLimits = {},
): Promise<unknown> {
  const first: Uint8Array[] = []
  let bytes = 0
  let pieces: JsonPieces | undefined
  const stretch = new Stretch()
  for await (const part of source) {
    if (pieces) await feed(pieces, part, stretch)
    else {
      first.push(part)
      bytes += part.byteLength
      if (bytes <= BYTES_AT_ONCE) continue
      pieces = new JsonPieces(limits)
      for (const one of first.splice(0)) await feed(pieces, one, stretch)
    }
  }
  return pieces ? pieces.end() : readAtOnce(Buffer.concat(first))
}

async function feed(pieces: JsonPieces, part: Uint8Array, stretch: Stretch): Promise<void> {
  for (let from = 0; from < part.byteLength; from += PIECE) {
    if (stretch.isOver) await stretch.pause()
    pieces.push(part.subarray(from, from + PIECE))
  }
}

function readAtOnce(bytes: Uint8Array): unknown {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  return text.trim() === '' ? undefined : parseJson(text)
}

/** What may come next. */
type Next = 'value' | 'value or end' | 'name or end' | 'name' | 'colon' | 'comma or end' | 'nothing'

/** A parser of a JSON text that is fed its bytes in pieces of any size. */
export class JsonPieces {
  readonly #tokenizer: ExactTokenizer
  readonly #mostValues: number
  readonly #mostEntries: number
  #next: Next = 'value'
  /** The objects and lists that are open. */
  readonly #open: (JsonObject | JsonValue[])[] = []
  /** For each open object: the name of the member that is being read, and the number of members so far. */
  readonly #names: string[] = []
  readonly #members: number[] = []
  #values = 0
  #result: JsonValue | undefined

  constructor({ values = MOST_VALUES, entries = values }: JsonLimits = {}) {
    this.#mostValues = values
    this.#mostEntries = entries
    this.#tokenizer = new ExactTokenizer({ stringBufferSize: PIECE, numberBufferSize: 1024 })
    this.#tokenizer.onToken = token => this.#take(token)
  }

  push(bytes: Uint8Array): void {
    try {
      this.#tokenizer.write(bytes)
    } catch (error) {
      throw syntaxError(error)
    }
  }

  /** The parsed value; undefined for a blank text. */
  end(): unknown {
    try {
      this.#tokenizer.end()
    } catch (error) {
      throw syntaxError(error)
    }
    if (this.#next === 'nothing' || this.#values === 0) return this.#result
    throw new SyntaxError(unexpectedEnd)
  }

  #take({ token, value, offset }: ParsedTokenInfo): void {
    if (token === TokenType.COMMA) this.#comma(offset)
    else if (token === TokenType.COLON) this.#colon(offset)
    else if (token === TokenType.LEFT_BRACE) this.#begin({}, 'name or end', offset)
    else if (token === TokenType.LEFT_BRACKET) this.#begin([], 'value or end', offset)
    else if (token === TokenType.RIGHT_BRACE) this.#end('name or end', token, offset)
    else if (token === TokenType.RIGHT_BRACKET) this.#end('value or end', token, offset)
    else if (token === TokenType.STRING && this.#awaitsName) this.#name(value as string)
    else this.#add(value as JsonValue, token, offset)
  }

  get #awaitsName(): boolean {
    return this.#next === 'name' || this.#next === 'name or end'
  }

  #colon(offset: number): void {
    if (this.#next !== 'colon') throw unexpected(TokenType.COLON, offset)
    this.#next = 'value'
  }

  #comma(offset: number): void {
    const within = this.#open.at(-1)
    if (this.#next !== 'comma or end') throw unexpected(TokenType.COMMA, offset)
    this.#next = Array.isArray(within) ? 'value' : 'name'
  }

  #name(name: string): void {
    this.#names[this.#names.length - 1] = name
    if (++this.#members[this.#members.length - 1]! > MOST_MEMBERS) {
      throw refused('INVALID_ARGUMENT', 'an object', `${MOST_MEMBERS} members`, 'a list can have more')
    }
    this.#next = 'colon'
  }

  #begin(value: JsonObject | JsonValue[], next: Next, offset: number): void {
    this.#add(value, Array.isArray(value) ? TokenType.LEFT_BRACKET : TokenType.LEFT_BRACE, offset)
    if (this.#open.length === MOST_LEVELS) {
      throw refused('INVALID_ARGUMENT', 'lists and objects', `${MOST_LEVELS} nested levels`)
    }
    this.#open.push(value)
    if (!Array.isArray(value)) {
      this.#names.push('')
      this.#members.push(0)
    }
    this.#next = next
  }

  #end(empty: Next, token: TokenType, offset: number): void {
    const within = this.#open.at(-1)
    const isOwn = within !== undefined && Array.isArray(within) === (token === TokenType.RIGHT_BRACKET)
    if (!isOwn || (this.#next !== 'comma or end' && this.#next !== empty)) throw unexpected(token, offset)
    this.#open.pop()
    if (!Array.isArray(within)) {
      this.#names.pop()
      this.#members.pop()
    }
    this.#next = this.#open.length > 0 ? 'comma or end' : 'nothing'
  }

  #add(value: JsonValue, token: TokenType, offset: number): void {
    if (this.#next !== 'value' && this.#next !== 'value or end') throw unexpected(token, offset)
    if (++this.#values > this.#mostValues) {
      throw refused('TOO_LARGE', 'the whole', `${this.#mostValues} values`, 'send it in several parts')
    }
    const within = this.#open.at(-1)
    if (within === undefined) this.#result = value
    else if (Array.isArray(within)) this.#addTo(within, value)
    else put(within, this.#names.at(-1)!, value)
    this.#next = within === undefined ? 'nothing' : 'comma or end'
  }

  #addTo(list: JsonValue[], value: JsonValue): void {
    if (list.length === this.#mostEntries) {
      throw refused('TOO_LARGE', 'a list', `${this.#mostEntries} entries`, 'send it in several parts')
    }
    list.push(value)
  }
}

/** Numbers that would lose digits become bigints, as in `parseJson`. */
class ExactTokenizer extends Tokenizer {
  override parseNumber(literal: string): number {
    return exactNumber(literal) as number // the tokenizer only passes it on
  }
}

const unexpectedEnd = 'Unexpected end of JSON input'

const signs = new Map<TokenType, string>([
  [TokenType.COMMA, ','],
  [TokenType.COLON, ':'],
  [TokenType.LEFT_BRACE, '{'],
  [TokenType.LEFT_BRACKET, '['],
  [TokenType.RIGHT_BRACE, '}'],
  [TokenType.RIGHT_BRACKET, ']'],
  [TokenType.STRING, 'text'],
  [TokenType.NUMBER, 'number'],
])

function unexpected(token: TokenType, offset: number): SyntaxError {
  return new SyntaxError(`Unexpected ${signs.get(token) ?? 'value'} at position ${offset}`)
}

/** Worded like the errors of JSON.parse(), not by the states of the tokenizer. */
function syntaxError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SyntaxError || error instanceof FindlingError)
    return error
  if (error instanceof TypeError) return error
  const [, sign, place] =
    /^Unexpected "(.*)" at chunk position .* \(absolute position "(\d+)"\)/s.exec(error.message) ?? []
  return new SyntaxError(sign === undefined ? unexpectedEnd : `Unexpected ${sign} at position ${place}`)
}

function refused(code: ErrorCode, what: string, limit: string, remedy = ''): FindlingError {
  const advice = remedy === '' ? '' : `; ${remedy}`
  return new FindlingError(code, `The JSON is too large: ${what} with more than ${limit}${advice}.`, {
    field: 'json',
    expected: `at most ${limit}`,
  })
}
