import { shownText } from '../analysis/shown-text.ts'
import { fileTexts } from '../file-texts.ts'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../json.ts'
import type { QueryFields } from './fields.ts'

/** The words of the texts of a field in their order, and each once: no phrase begins in one text and ends in another. */
export interface FieldWords {
  readonly texts: readonly (readonly string[])[]
  readonly set: ReadonlySet<string>
}

/** A field whose words are looked at. */
export interface WordPath {
  readonly path: string
  /** Whether numbers and booleans are text, too. */
  readonly isText: boolean
  /** Whether its words are those of a file. */
  readonly isFile: boolean
}

/** As many words of a field are indexed, and looked at here. */
const mostWords = 65_535

const noWords: FieldWords = { texts: [], set: new Set() }

/** One document after the other, as a query looks at it: what has been made of a field is kept until the next. */
export class DocumentReading {
  readonly #form: Pick<QueryFields, 'analyzer' | 'markup'>
  readonly #words = new Map<string, FieldWords>()
  #document: JsonObject = {}

  constructor(form: Pick<QueryFields, 'analyzer' | 'markup'>) {
    this.#form = form
  }

  take(document: JsonObject): void {
    this.#document = document
    this.#words.clear()
  }

  /** The values at a path; lists are entered, on the way and at its end, and lists in lists. */
  values(path: string): readonly JsonValue[] {
    return valuesIn(this.#document, path)
  }

  words(field: WordPath): FieldWords {
    let words = this.#words.get(field.path)
    if (!words) {
      words = this.#read(field)
      this.#words.set(field.path, words)
    }
    return words
  }

  #read({ path, isText, isFile }: WordPath): FieldWords {
    const { analyzer, markup } = this.#form
    const read = isFile ? fileTexts(this.#document) : this.#document
    const texts: string[][] = []
    let left = mostWords
    for (const value of read ? valuesIn(read, path) : []) {
      const isWords = typeof value === 'string' || (isText && typeof value !== 'object')
      if (!isWords || left === 0) continue
      const text = markup && !isFile ? shownText(String(value)) : String(value)
      const words = analyzer.tokens(text).slice(0, left)
      left -= words.length
      if (words.length > 0) texts.push(words)
    }
    return texts.length === 0 ? noWords : { texts, set: new Set(texts.flat()) }
  }
}

function valuesIn(object: JsonObject, path: string): readonly JsonValue[] {
  if (!path.includes('.')) return membersOf(object, path)
  let values: readonly JsonValue[] = [object]
  for (const name of path.split('.'))
    values = values.flatMap(value => (isJsonObject(value) ? membersOf(value, name) : []))
  return values
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
