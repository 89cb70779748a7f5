import type { Analyzer } from '../analysis/analyzer.ts'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../json.ts'

/** The words of a field in their order, and each once. */
export interface FieldWords {
  readonly list: readonly string[]
  readonly set: ReadonlySet<string>
}

/** As many words of a field are indexed, and looked at here. */
const mostWords = 65_535

const noWords: FieldWords = { list: [], set: new Set() }

/** One document after the other, as a query looks at it: what has been made of a field is kept until the next. */
export class DocumentReading {
  readonly #analyzer: Analyzer
  readonly #words = new Map<string, FieldWords>()
  #document: JsonObject = {}

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer
  }

  take(document: JsonObject): void {
    this.#document = document
    this.#words.clear()
  }

  /** The values at a path; lists are entered, on the way and at its end, and lists in lists. */
  values(path: string): readonly JsonValue[] {
    if (!path.includes('.')) return membersOf(this.#document, path)
    let values: readonly JsonValue[] = [this.#document]
    for (const name of path.split('.'))
      values = values.flatMap(value => (isJsonObject(value) ? membersOf(value, name) : []))
    return values
  }

  /** @param isText whether numbers and booleans are text, too */
  words(path: string, isText: boolean): FieldWords {
    let words = this.#words.get(path)
    if (!words) {
      words = this.#read(path, isText)
      this.#words.set(path, words)
    }
    return words
  }

  #read(path: string, isText: boolean): FieldWords {
    const list: string[] = []
    for (const value of this.values(path)) {
      if (typeof value === 'string') list.push(...this.#tokens(value))
      else if (isText && (typeof value === 'number' || typeof value === 'boolean'))
        list.push(...this.#tokens(String(value)))
    }
    if (list.length === 0) return noWords
    if (list.length > mostWords) list.length = mostWords
    return { list, set: new Set(list) }
  }

  #tokens(text: string): string[] {
    return this.#analyzer.tokens(text).slice(0, mostWords)
  }
}

function membersOf(object: JsonObject, name: string): readonly JsonValue[] {
  const value = own(object, name)
  if (value === undefined) return []
  return Array.isArray(value) ? elementsOf(value) : [value]
}

/** Those of lists in the list, too. */
function elementsOf(list: readonly JsonValue[]): JsonValue[] {
  return list.flatMap(one => (Array.isArray(one) ? elementsOf(one) : one))
}

/** Not null, no empty list or object, and none that holds nothing else. Members that no path can name do not count. */
export function hasValue(value: JsonValue): boolean {
  if (value === null) return false
  if (Array.isArray(value)) return value.some(hasValue)
  if (!isJsonObject(value)) return true
  return Object.entries(value).some(([name, one]) => name !== '' && !name.includes('.') && hasValue(one))
}
