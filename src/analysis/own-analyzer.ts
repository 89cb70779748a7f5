import { FindlingError } from '../errors.ts'
import type { Analyzer } from './analyzer-interface.ts'
import { fold, lowered } from './fold.ts'
import { MAX_TOKEN_LENGTH, type RangeSink, type WrittenSink } from './tokenizer.ts'
import { WrittenWord } from './written-word.ts'

/** A custom analyzer, as given to `Engine.open` and as stored with a dataset. */
export interface OwnAnalyzer {
  /** The name that datasets use for it: letters, digits, hyphens and underscores, up to 50. */
  readonly name: string
  /** From 1 on. Raise it whenever the module returns other words or stems. */
  readonly version: number
  /** URL of the module: `import.meta.resolve('./chinese.js')`. Every indexing thread imports it, too. */
  readonly url: string
}

/** A word found by a custom analyzer. */
export interface AnalyzedToken {
  /** The term to index; case, accents and compatibility forms are normalized afterwards. Without spaces. */
  term: string
  /** Where it starts: `text.slice(start, end)` is highlighted in hits. */
  start: number
  end: number
}

/**
 * The default export of an analyzer's module. It has at least one of the two functions; for the other, that of the dataset's
 * language is used. Both are called synchronously, in several threads, and must always return the same for the same text.
 */
export interface AnalyzerModule {
  /**
   * The words of a text in the order of their starts. Given a term by itself, it must return that term.
   * A long text is passed in pieces of up to 4,096 characters, which end after a space or punctuation where possible.
   */
  tokens?(text: string): Iterable<AnalyzedToken>
  /** The stem of a normalized term, the same for all forms of a word. */
  stem?(term: string): string
}

/** Maximum length of a piece of text passed to the module, and the minimum length at which one may end. */
const PIECE = 4096
const SHORTEST_PIECE = PIECE / 2

/** Maximum number of tokens of a piece: eight per character, enough for n-grams of several lengths. */
const MOST_TOKENS = 8 * PIECE

/** Imports the module. ANALYZER_FAILED if that is not possible, or if its default export is invalid. */
export async function importAnalyzer(own: OwnAnalyzer): Promise<AnalyzerModule> {
  let given: unknown
  try {
    given = ((await import(own.url)) as { default?: unknown }).default
  } catch (cause) {
    throw failed(own, 'cannot be imported', { expected: 'the URL of a module' }, cause)
  }
  const expected = 'a default export with the function tokens, the function stem, or both'
  if (typeof given !== 'object' || given === null)
    throw failed(own, 'has no object as its default export', { expected })
  const { tokens, stem } = given as AnalyzerModule
  const members = [tokens, stem].filter(member => member !== undefined)
  if (members.length === 0 || members.some(member => typeof member !== 'function'))
    throw failed(own, 'lacks functions', { expected })
  return given
}

/** The name of a custom analyzer based on another. */
export const nameWith = ({ name, version }: OwnAnalyzer, base: string): string => `${base}+${name}@${version}`

/** The custom analyzer in an analyzer's name; undefined if it is that of a language only. */
export function namedIn(identity: string): Pick<OwnAnalyzer, 'name' | 'version'> | undefined {
  const [, name, version] = /\+([\w-]+)@(\d+)$/.exec(identity) ?? []
  return name === undefined ? undefined : { name, version: Number(version) }
}

/** The analyzer of a language, with the functions of the module replacing its own. */
export function ownAnalyzer(own: OwnAnalyzer, module: AnalyzerModule, base: Analyzer): Analyzer {
  const stem = module.stem ? (term: string) => checkedStem(own, module, term) : base.stem
  const identity = { name: nameWith(own, base.name), stem }
  if (!module.tokens) return { ...base, ...identity }
  const buffer = new Uint16Array(MAX_TOKEN_LENGTH)
  const scanRanges = (text: string, sink: RangeSink) => {
    for (const piece of piecesOf(text)) scanPiece(own, module, piece, buffer, sink)
  }
  const writtenWord = new WrittenWord(MAX_TOKEN_LENGTH)
  return {
    ...base,
    ...identity,
    longText: PIECE,
    scan: scanRanges,
    scanRanges,
    scanWritten: (text, sink) => scanRanges(text, withWriting(text, sink, writtenWord)),
    *scanWrittenInPieces(text, sink) {
      const chars = new Uint16Array(MAX_TOKEN_LENGTH)
      const writing = withWriting(text, sink, new WrittenWord(MAX_TOKEN_LENGTH))
      for (const piece of piecesOf(text)) {
        scanPiece(own, module, piece, chars, writing)
        yield
      }
    },
    *scanInPieces(text, sink) {
      const chars = new Uint16Array(MAX_TOKEN_LENGTH)
      for (const piece of piecesOf(text)) {
        scanPiece(own, module, piece, chars, sink)
        yield
      }
    },
    tokens: text => {
      const tokens: string[] = []
      scanRanges(text, (chars, length) => tokens.push(String.fromCharCode(...chars.subarray(0, length))))
      return tokens
    },
    // These rely on words as the built-in tokenizer produces them.
    functionWords: undefined,
  }
}

/** A term may differ from the word, as a lemma does: only a term that equals the folded word gets the word's spelling. */
const withWriting =
  (text: string, sink: WrittenSink, written: WrittenWord): RangeSink =>
  (chars, length, start, end) => {
    const word = text.slice(start, end)
    const isFolded =
      beyondAscii.test(word) && fold(word) === String.fromCharCode(...chars.subarray(0, length))
    sink(chars, length, start, end, isFolded ? written.of(lowered(word), chars, length) : undefined)
  }

const beyondAscii = /[^\0-\x7f]/

interface Piece {
  readonly text: string
  readonly from: number
}

function* piecesOf(text: string): Generator<Piece> {
  for (let from = 0; from < text.length; ) {
    const end = pieceEnd(text, from)
    yield { text: text.slice(from, end), from }
    from = end
  }
}

function pieceEnd(text: string, from: number): number {
  if (text.length - from <= PIECE) return text.length
  const last = from + PIECE
  for (const border of [/\s/, /[^\p{L}\p{N}\p{M}\p{Cs}]/u]) {
    for (let end = last; end > from + SHORTEST_PIECE; end--) if (border.test(text[end - 1]!)) return end
  }
  const cutsPair = (text.charCodeAt(last - 1) & 0xfc00) === 0xd800
  return cutsPair ? last - 1 : last
}

/** Checks all tokens before the first is passed on. */
function scanPiece(
  own: OwnAnalyzer,
  module: AnalyzerModule,
  { text, from }: Piece,
  chars: Uint16Array,
  sink: RangeSink,
): void {
  for (const { term, start, end } of checkedTokens(own, module, text)) {
    for (let i = 0; i < term.length; i++) chars[i] = term.charCodeAt(i)
    sink(chars, term.length, from + start, from + end)
  }
}

function checkedTokens(own: OwnAnalyzer, module: AnalyzerModule, text: string): AnalyzedToken[] {
  const found: AnalyzedToken[] = []
  let before = 0
  try {
    for (const token of module.tokens!(text)) {
      const { term, start, end } = token
      if (typeof term !== 'string') throw wrong(own, `a term of type ${typeof term}`, 'a text')
      const isInPlace = Number.isInteger(start) && Number.isInteger(end) && start >= before && start < end
      if (!isInPlace || end > text.length) {
        const expected = `offsets as whole numbers from ${before} to ${text.length}, with the end after the start`
        throw wrong(own, `a word from ${String(start)} to ${String(end)}`, expected)
      }
      before = start
      const folded = termOf(own, term)
      if (folded !== '') found.push({ term: folded, start, end })
      if (found.length > MOST_TOKENS)
        throw wrong(own, `more than ${MOST_TOKENS} words for one piece of text`, 'fewer')
    }
  } catch (error) {
    if (error instanceof FindlingError) throw error
    throw failed(own, `failed with ${String(error).slice(0, 200)}`, {}, error)
  }
  return found
}

function checkedStem(own: OwnAnalyzer, module: AnalyzerModule, term: string): string {
  let stem: unknown
  try {
    stem = module.stem!(term)
  } catch (error) {
    throw failed(own, `failed with ${String(error).slice(0, 200)}`, {}, error)
  }
  if (typeof stem !== 'string') throw wrong(own, `a stem of type ${typeof stem}`, 'a text')
  const folded = termOf(own, stem)
  return folded === '' ? term : folded
}

/** Characters that would separate words, or have a special meaning in an index. */
const noLetters = /[\s\p{Cc}\p{Surrogate}]/u

/** The term as the engine indexes it: folded, and cut to its beginning if it is long. */
function termOf(own: OwnAnalyzer, term: string): string {
  const start = term.length > MAX_TOKEN_LENGTH ? term.slice(0, 2 * MAX_TOKEN_LENGTH) : term
  const folded = fold(wellFormed(start, term)).trim()
  if (noLetters.test(folded))
    throw wrong(
      own,
      `the term ${JSON.stringify(folded.slice(0, 60))}`,
      'a term without spaces or control characters',
    )
  return wellFormed(folded.slice(0, MAX_TOKEN_LENGTH), folded)
}

/** The beginning of a text, without half a surrogate pair at its end. */
function wellFormed(beginning: string, text: string): string {
  const cutsPair = beginning.length < text.length && /[\ud800-\udbff]$/.test(beginning)
  return cutsPair ? beginning.slice(0, -1) : beginning
}

const wrong = (own: OwnAnalyzer, received: string, expected: string): FindlingError =>
  failed(own, `returned ${received}; expected ${expected}`, { received, expected })

function failed(
  { name, version, url }: OwnAnalyzer,
  what: string,
  details: { readonly received?: string; readonly expected?: string },
  cause?: unknown,
): FindlingError {
  const { expected } = details
  const rest = expected === undefined || what.includes('expected') ? '' : `; expected ${expected}`
  const message = `The analyzer ${name}, version ${version}, of ${url} ${what}${rest}.`
  return new FindlingError('ANALYZER_FAILED', message, { analyzer: name, version, ...details }, cause)
}
