import { atOnce } from '../scheduling/at-once.ts'
import { areaIn, isAreaName } from './areas.ts'
import { bounded, ClauseCounter, deepestQuery, mostValues } from './bounds.ts'
import { knownFields, numberIn, type QueryFields, type QueryFieldType } from './fields.ts'
import { invalidQuery } from './invalid-query.ts'
import {
  amongLeaf,
  areaLeaf,
  equalLeaf,
  nearLeaf,
  partLeaf,
  type RangeEnd,
  rangeLeaf,
  type Scope,
  type Term,
  termLeaf,
  valueLeaf,
} from './leaves.ts'
import { type Clause, joined } from './occurrences.ts'
import { boosted, everything, not, type Query } from './query.ts'
import { Scanner } from './scanner.ts'

export interface ParseOptions {
  /** The operator between clauses with only a space between them. Default `or`. */
  readonly operator?: 'and' | 'or'
  /** Names the query in errors. Default `query`. */
  readonly what?: string
}

/** Maximum length of a query in UTF-16 units. */
const longestQuery = 1_048_576

/**
 * Reads a query string, typed by the fields of a dataset.
 * @throws FindlingError QUERY_INVALID, which points at the place and says what is accepted there
 */
export function parseQuery(text: string, fields: QueryFields, options: ParseOptions = {}): Query {
  return atOnce(readingQuery(text, fields, options))
}

/** The same piece by piece. */
export function* readingQuery(
  text: string,
  fields: QueryFields,
  options: ParseOptions = {},
): Generator<void, Query> {
  if (text.length > longestQuery)
    throw invalidQuery(options.what ?? 'query', text, longestQuery, longestQuery + 1, 'no more characters')
  const query = yield* new Parser(text, fields, options).parse()
  return bounded(query, fields, options.what ?? 'query', 'QUERY_INVALID')
}

const boostSign = /\^(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?/y
const nearSign = /~(?:\d+(?:\.\d+)?|\.\d+)?/y
/** What stands between the brackets of an area: numbers and their units. */
const areaNumbers = /\([-+\d.eE,;\skm]*\)/y
/** The same with other units and signs, to be refused: as words they would find nothing. */
const likeAreaNumbers = /\(\s*[-+.\d][^(),;]*[,;]\s*[-+.\d][^()]*\)/y
const comparison = /[<>]=?/y
/** Operators that other query languages put after a field name, without a colon. */
const signBehindName = /[<>]=?|!?=/y
/** `IN [a, b]`; behind a word that is no field, `IN [a TO b]` is another word and a range. */
const listBehindName = /(?:NOT\s+)?IN\s*\[(?![^\]]*\sTO\s)/y
const onlySigns = /^(?:[<>]=?|!?=)$/
/** Signs that cannot follow an operator. */
const moreSigns = /[<>=!]/
const mostSlop = 65_535

/** Before a colon this names no field: it asks whether a field has a value. */
const exists = '_exists_'

/** What may begin a clause. */
const aClause = 'a word, a phrase in quotes, field:value, a range in [ ] or { }, or ('

/** Number of clauses read without a pause. */
const AT_ONCE = 256

/** Stands for a query in brackets before it is read: the brackets may hold a megabyte. */
class Opened {
  /** The scope of the clauses inside. */
  readonly scope: Scope | null

  constructor(scope: Scope | null) {
    this.scope = scope
  }
}

class Parser {
  readonly #fields: QueryFields
  readonly #operator: 'and' | 'or'
  readonly #what: string
  readonly #scanner: Scanner
  readonly #tally: ClauseCounter
  #clauses = 0

  constructor(text: string, fields: QueryFields, options: ParseOptions) {
    this.#fields = fields
    this.#operator = options.operator ?? 'or'
    this.#what = options.what ?? 'query'
    this.#tally = new ClauseCounter(fields, this.#what, 'QUERY_INVALID')
    this.#scanner = new Scanner(text)
  }

  *parse(): Generator<void, Query> {
    const query = yield* this.#group(null, 0)
    return query ?? this.#refuse(0, this.#scanner.text.length, 'a word to look for; *:* is everything')
  }

  /** The clauses up to the closing bracket or the end; undefined where they contain no word. */
  *#group(scope: Scope | null, depth: number): Generator<void, Query | undefined> {
    const scanner = this.#scanner
    const clauses: Clause[] = []
    let join: Clause['join']
    let count = 0
    for (;;) {
      scanner.skipSpaces()
      if (scanner.isAtEnd || (scanner.char === ')' && depth > 0)) break
      const start = scanner.at
      const operator = this.#connector()
      if (operator) {
        if (count === 0 || join !== undefined) this.#refuse(start, scanner.at, aClause)
        join = operator
        continue
      }
      const { required, negated } = this.#signs(depth)
      const clause = this.#clause(scope)
      const isOpened = clause instanceof Opened
      const query = isOpened ? yield* this.#brackets(clause.scope, depth) : clause
      if (++this.#clauses % AT_ONCE === 0) yield
      // The contents of brackets have already been counted.
      if (query && !isOpened) this.#tally.take(query)
      if (query) clauses.push({ query, join, required, negated })
      count++
      join = undefined
    }
    if (join) this.#refuse(scanner.at, scanner.at, `${aClause}, after the operator`)
    return clauses.length > 0 ? joined(clauses, this.#operator) : undefined
  }

  #connector(): Clause['join'] {
    const scanner = this.#scanner
    if (scanner.takeKeyword('AND') || scanner.take('&&')) return 'and'
    return scanner.takeKeyword('OR') || scanner.take('||') ? 'or' : undefined
  }

  #signs(depth: number): { required: boolean; negated: boolean } {
    const scanner = this.#scanner
    let required = false
    let negated = false
    for (;;) {
      const isPlus = scanner.take('+')
      const isUnequal = scanner.text.startsWith('!=', scanner.at)
      if (!isPlus && !scanner.take('-') && (isUnequal || !scanner.take('!')) && !scanner.takeKeyword('NOT'))
        break
      scanner.skipSpaces()
      if (scanner.isAtEnd || (scanner.char === ')' && depth > 0))
        this.#refuse(scanner.at, scanner.at, aClause)
      if (isPlus) required = true
      else negated = !negated
    }
    return { required, negated }
  }

  #clause(scope: Scope | null): Query | Opened | undefined {
    const special = this.#special(scope)
    if (special) return special.query
    const scanner = this.#scanner
    const start = scanner.at
    const term = scanner.term(false)
    if (scanner.at === start) this.#refuse(start, start + 1, aClause)
    if (scanner.char === ':') return this.#fielded(term, start)
    const compared = scope
      ? this.#area(scope, term)
      : (this.#compared(term, start) ?? this.#operated(term, start))
    return compared ?? this.#suffixed(scope, term, start)
  }

  /** Clauses recognized by their first sign: brackets, quotes, ranges, comparisons. */
  #special(scope: Scope | null): { query: Query | Opened | undefined } | undefined {
    const scanner = this.#scanner
    const start = scanner.at
    if (scanner.char === '(') return { query: new Opened(scope) }
    if (scanner.char === '[' || scanner.char === '{') return { query: this.#range(scope, false) }
    if (scanner.isAtQuote) {
      const term = scanner.quoted()
      if (term) return { query: this.#suffixed(scope, term, start) }
      this.#refuse(start, start + 1, 'a second quote that closes the phrase')
    }
    if (!scope) return undefined
    if (scanner.take('!=')) {
      if (scanner.char !== '[') return { query: not(this.#equal(scope, start)) }
      return { query: not(amongLeaf(scope, this.#values(), this.#refusing(start))) }
    }
    if (scanner.take('=')) {
      if (scanner.char === '[' || scanner.char === '{') return { query: this.#range(scope, true) }
      return { query: this.#boost(valueLeaf(scope, this.#operand(scope, start))) }
    }
    const sign = scanner.match(comparison)
    return sign === ''
      ? undefined
      : { query: this.#comparison(scope, sign, this.#operand(scope, start), start) }
  }

  *#brackets(scope: Scope | null, depth: number): Generator<void, Query | undefined> {
    const scanner = this.#scanner
    const start = scanner.at
    if (depth === deepestQuery) this.#refuse(start, start + 1, `at most ${deepestQuery} nested brackets`)
    scanner.at++
    const query = yield* this.#group(scope, depth + 1)
    if (!scanner.take(')')) this.#refuse(scanner.at, scanner.at, `a ) that closes the ( at offset ${start}`)
    return query ? this.#boost(query) : this.#refuse(start, scanner.at, 'a word between the brackets')
  }

  /** What follows the name of a field and its colon. */
  #fielded({ text: name, parts }: Term, start: number): Query | Opened | undefined {
    const scanner = this.#scanner
    const end = scanner.at
    scanner.at++
    if (name === '*' && parts.length === 1 && scanner.take('*')) return this.#boost(everything)
    if (name === exists) {
      scanner.skipSpaces()
      const from = scanner.at
      const { text: path } = this.#text('the name of a field')
      if (!this.#fields.find(path)) this.#refuse(from, scanner.at, knownFields(path, this.#fields))
      return this.#boost({ kind: 'exists', field: path })
    }
    const field = this.#fields.find(name)
    if (!field || parts.length > 1) return this.#refuse(start, end, knownFields(name, this.#fields))
    return this.#valueOf({ name, field })
  }

  #valueOf(scope: Scope): Query | Opened | undefined {
    const scanner = this.#scanner
    const isApart = scanner.skipSpaces()
    const start = scanner.at
    const special = this.#special(scope)
    let query = special?.query
    if (!special) {
      const sign = scanner.char
      const term = scanner.term(!isApart)
      const isSigned = sign === '-' || sign === '+' || sign === '!'
      if (isSigned && holdsText(scope) && numberIn(term.text) === undefined)
        this.#refuse(start, scanner.at, `the sign before the field, such as ${sign}${scope.name}:…`)
      if (scanner.at > start)
        query =
          this.#area(scope, term) ?? this.#upTo(scope, term, start) ?? this.#suffixed(scope, term, start)
    }
    return query ?? this.#refuse(start, scanner.at, `a value of ${scope.name}`)
  }

  /** `within(52.5, 13.4, 5000)` and the like; in a field that may hold text, only where several numbers follow. */
  #area(scope: Scope, { text: name }: Term): Query | undefined {
    const scanner = this.#scanner
    if (scanner.char !== '(' || !isAreaName(name) || holdsWords(scope)) return undefined
    const start = scanner.at - name.length
    const numbers = scanner.match(areaNumbers) || scanner.match(likeAreaNumbers)
    if (!numbers.includes(',') && scope.field.type === 'any') {
      scanner.at = start + name.length
      return undefined
    }
    const refuse = this.#refusing(start)
    return this.#boost(areaLeaf(scope, areaIn(name, numbers.slice(1, -1), refuse), this.#fields, refuse))
  }

  /**
   * `price>1000` or `brand=x` without a colon, where there is such a field.
   */
  #compared({ text, parts }: Term, start: number): Query | undefined {
    const at = text.search(/[<>=]|!=/)
    const isEscaped = this.#scanner.text.slice(start, this.#scanner.at).includes('\\')
    if (at <= 0 || parts.length > 1 || isEscaped) return undefined
    const name = text.slice(0, at)
    const field = this.#fields.find(name)
    if (!field || name === exists) return undefined
    signBehindName.lastIndex = at
    const sign = signBehindName.exec(text)![0]
    const value = text.slice(at + sign.length)
    const isOrder = sign[0] === '<' || sign[0] === '>'
    const isNumeric = value === '' || numberIn(value) !== undefined
    const isWords = holdsOther(field.type) || (field.type === 'any' && !isNumeric)
    if (isOrder && isWords && !isDay.test(value)) return undefined
    const scope = { name, field }
    if (value === '' || value.startsWith("'") || moreSigns.test(value[0]!)) {
      this.#scanner.at = start + at + sign.length
      return this.#signed(scope, sign, start)
    }
    return this.#signed(scope, sign, start, { text: value, parts: [], isQuoted: false })
  }

  /** Operators of other query languages after a field name: `brand = x`, `price 5 TO 9`, `brand NOT IN [x, y]`. */
  #operated(term: Term, start: number): Query | undefined {
    const scanner = this.#scanner
    const { text: name, parts } = term
    if (parts.length > 1 || name === exists) return undefined
    const end = scanner.at
    if (onlySigns.test(name))
      this.#refuse(start, end, `the name of a field before ${name}, such as price ${name} 5`)
    scanner.skipSpaces()
    const field = this.#fields.find(name)
    const sign = scanner.match(signBehindName)
    if (sign !== '') {
      if (!field) this.#refuse(start, end, knownFields(name, this.#fields))
      return this.#signed({ name, field }, sign, start)
    }
    if (!field && scanner.match(listBehindName) !== '')
      this.#refuse(start, end, knownFields(name, this.#fields))
    const query = field && (this.#among({ name, field }, start) ?? this.#keyword({ name, field }, start))
    if (!query) scanner.at = end
    return query
  }

  #signed(scope: Scope, sign: string, start: number, given?: Term): Query {
    const refuse = this.#refusing(start)
    if (!given && moreSigns.test(this.#scanner.char)) refuse('one of the signs =, !=, <, <=, > and >=')
    const term = given ?? this.#operand(scope, start)
    if (sign === '=') return this.#boost(equalLeaf(scope, term, refuse))
    if (sign === '!=') return not(equalLeaf(scope, term, refuse))
    return this.#comparison(scope, sign, term, start)
  }

  /** `5 TO 9` and `[NOT] IN [a, b]`. */
  #among(scope: Scope, start: number): Query | undefined {
    const scanner = this.#scanner
    const at = scanner.at
    const negated = scanner.takeKeyword('NOT')
    scanner.skipSpaces()
    if (scanner.takeKeyword('IN')) {
      scanner.skipSpaces()
      if (scanner.char === '[') {
        const query = amongLeaf(scope, this.#values(), this.#refusing(start))
        return negated ? not(query) : this.#boost(query)
      }
    }
    scanner.at = at
    const query = this.#upTo(scope, scanner.term(true), start)
    if (!query) scanner.at = at
    return query
  }

  /** What follows `TO`, which makes a range with what precedes it. */
  #upTo(scope: Scope, from: Term, start: number): Query | undefined {
    const scanner = this.#scanner
    const at = scanner.at
    const isOrdered = scope.field.type === 'text' ? isDay.test(from.text) : isOrderly(scope, from.text)
    if (!isOrdered || !scanner.skipSpaces()) return undefined
    if (scanner.takeKeyword('TO') && scanner.skipSpaces()) {
      const to = scanner.term(true)
      const end = (term: Term) => ({ term, inclusive: true })
      if (isOrderly(scope, to.text) || (scope.field.type === 'text' && isDay.test(to.text)))
        return this.#boost(rangeLeaf(scope, end(from), end(to), true, this.#refusing(start)))
    }
    scanner.at = at
    return undefined
  }

  /** `[NOT] EXISTS`, `IS [NOT] NULL`, `CONTAINS x`, `STARTS WITH x`. */
  #keyword(scope: Scope, start: number): Query | undefined {
    const scanner = this.#scanner
    const { name: field } = scope
    const at = scanner.at
    const isState = scanner.takeKeyword('IS')
    if (isState) scanner.skipSpaces()
    const negated = scanner.takeKeyword('NOT')
    if (negated) scanner.skipSpaces()
    const there = { kind: 'exists', field } as const
    if (isState) {
      if (scanner.takeKeyword('NULL') || scanner.takeKeyword('EMPTY')) return negated ? there : not(there)
    } else if (scanner.takeKeyword('EXISTS')) {
      return negated ? not(there) : this.#boost(there)
    } else {
      const part = scanner.takeKeyword('CONTAINS') ? 'in it' : this.#startsWith() ? 'begin' : undefined
      if (part) {
        const query = partLeaf(scope, this.#operand(scope, start), part, this.#refusing(start))
        return negated ? not(query) : this.#boost(query)
      }
    }
    scanner.at = at
    return undefined
  }

  #startsWith(): boolean {
    const scanner = this.#scanner
    if (!scanner.takeKeyword('STARTS')) return false
    scanner.skipSpaces()
    return scanner.takeKeyword('WITH')
  }

  /** A list in square brackets, its values separated by commas. */
  #values(): Term[] {
    const scanner = this.#scanner
    const start = scanner.at
    const terms: Term[] = []
    let places = 0
    do {
      scanner.at++
      if (++places > mostValues) this.#refuse(start, scanner.at, `at most ${mostValues} values`)
      scanner.skipSpaces()
      const term = scanner.isAtQuote ? scanner.quoted() : (scanner.singleQuoted() ?? scanner.listed())
      if (!term) return this.#refuse(scanner.at, scanner.at + 1, 'a second quote that closes the value')
      if (term.text !== '' || term.isQuoted) terms.push(term)
      scanner.skipSpaces()
    } while (scanner.char === ',')
    if (!scanner.take(']')) this.#refuse(scanner.at, scanner.at + 1, `a comma, or ] that closes the list`)
    return terms
  }

  #equal(scope: Scope, start: number): Query {
    return equalLeaf(scope, this.#operand(scope, start), this.#refusing(start))
  }

  #comparison(scope: Scope, sign: string, term: Term, start: number): Query {
    const end: RangeEnd = { term, inclusive: sign.length === 2 }
    const isFrom = sign[0] === '>'
    const refuse = this.#refusing(start)
    return this.#boost(rangeLeaf(scope, isFrom ? end : null, isFrom ? null : end, false, refuse))
  }

  #operand({ name }: Scope, start: number): Term {
    this.#scanner.skipSpaces()
    const before = this.#scanner.text.slice(Math.max(start, this.#scanner.at - 40), this.#scanner.at)
    const sign = /(?:[<>=!]+|\S+)$/.exec(before.trimEnd())?.[0] ?? ''
    return this.#text(`a value of ${name.slice(0, 100)} after ${sign}`)
  }

  #text(expected: string): Term {
    const scanner = this.#scanner
    const start = scanner.at
    const term = scanner.isAtQuote ? scanner.quoted() : (scanner.singleQuoted() ?? scanner.term(true))
    return term && scanner.at > start ? term : this.#refuse(start, start + 1, expected)
  }

  #range(scope: Scope | null, whole: boolean): Query {
    const scanner = this.#scanner
    const start = scanner.at
    const fromInclusive = scanner.char === '['
    scanner.at++
    const from = this.#rangeEnd(fromInclusive, 'a value or * where the range begins')
    scanner.skipSpaces()
    if (!scanner.takeKeyword('TO')) {
      if (scope && fromInclusive) return this.#listed(scope, start)
      this.#refuse(scanner.at, scanner.at + 1, 'TO between the bounds of the range')
    }
    const to = this.#rangeEnd(false, 'a value or * where the range ends')
    scanner.skipSpaces()
    const toInclusive = scanner.take(']')
    if (!toInclusive && !scanner.take('}'))
      this.#refuse(scanner.at, scanner.at + 1, '] or } that closes the range')
    const end = to && { ...to, inclusive: toInclusive }
    return this.#boost(rangeLeaf(scope, from, end, whole, this.#refusing(start)))
  }

  /** What began like a range is a list of values, or of ranges as `10..20`. */
  #listed(scope: Scope, start: number): Query {
    const { at } = this.#scanner
    this.#scanner.at = start
    const terms = this.#values()
    const [only] = terms
    if (terms.length === 1 && only && !only.isQuoted && /\s/.test(only.text))
      this.#refuse(at, at + 1, 'TO between the bounds of the range, or a comma between the values')
    return this.#boost(amongLeaf(scope, terms, this.#refusing(start)))
  }

  #rangeEnd(inclusive: boolean, expected: string): RangeEnd {
    const scanner = this.#scanner
    scanner.skipSpaces()
    const start = scanner.at
    const term = scanner.isAtQuote ? scanner.quoted() : scanner.rangeEnd()
    if (!term || scanner.at === start) return this.#refuse(start, start + 1, expected)
    return term.parts.length > 0 ? null : { term, inclusive }
  }

  /** A term or phrase with its suffixes: `~`, `~2`, `^3`. */
  #suffixed(scope: Scope | null, term: Term, start: number): Query | undefined {
    const scanner = this.#scanner
    const near = scanner.match(nearSign)
    const edits = near === '' ? undefined : near === '~' ? Number.NaN : Number(near.slice(1))
    const refuse = this.#refusing(start)
    const slop = term.isQuoted ? Math.min(mostSlop, Math.floor(edits || 0)) : 0
    const query =
      edits === undefined || term.isQuoted
        ? termLeaf(scope, term, slop, this.#fields, refuse)
        : nearLeaf(scope, term, edits, this.#fields, refuse)
    return query && this.#boost(query)
  }

  #boost(query: Query): Query {
    const scanner = this.#scanner
    const sign = scanner.match(boostSign)
    if (sign !== '') return boosted(query, Number(sign.slice(1)))
    if (scanner.char === '^') this.#refuse(scanner.at, scanner.at + 1, 'a number after ^, such as lamp^2')
    return query
  }

  #refusing(start: number): (expected: string) => never {
    return expected => this.#refuse(start, this.#scanner.at, expected)
  }

  #refuse(at: number, end: number, expected: string): never {
    throw invalidQuery(this.#what, this.#scanner.text, at, end, expected)
  }
}

/** Without a schema, dates are texts: they begin like this, and sort chronologically as texts. */
const isDay = /^\d{4}-\d\d/

/** Whether a text can be an end of a range with `TO`, as other query languages write it. */
const isOrderly = ({ field: { type } }: Scope, text: string): boolean =>
  type === 'date'
    ? text !== ''
    : (type === 'number' || type === 'any') && (numberIn(text) !== undefined || isDay.test(text))

const holdsOther = (type: QueryFieldType): boolean => type !== 'number' && type !== 'date' && type !== 'any'

const holdsWords = ({ field: { type, searched } }: Scope): boolean =>
  searched || type === 'text' || type === 'file'

const holdsText = ({ field }: Scope): boolean => field.type === 'text' || field.type === 'any'
