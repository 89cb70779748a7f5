import { shownText } from '../analysis/shown-text.ts'
import { fileTexts } from '../file-texts.ts'
import { type GeoPoint, pointsIn } from '../geo/point.ts'
import { isJsonObject, type JsonObject, type JsonValue, valuesIn } from '../json.ts'
import type { QueryFields } from './fields.ts'

/** The words of the texts of a field, in order and as a set. Per text, so that no phrase runs from one text into the next. */
export interface FieldWords {
  readonly texts: readonly (readonly string[])[]
  readonly set: ReadonlySet<string>
}

/** A field whose words are examined. */
export interface WordPath {
  readonly path: string
  /** Whether numbers and booleans are text, too. */
  readonly isText: boolean
  /** Whether its words are those of a file. */
  readonly isFile: boolean
}

/** How many words of a field are indexed, and so examined here. */
const mostWords = 65_535

const noWords: FieldWords = { texts: [], set: new Set() }

/** One document after another, as queries read it: what is derived from a field is kept until the next document. */
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

  values(path: string): readonly JsonValue[] {
    return valuesIn(this.#document, path)
  }

  points(path: string, read?: Parameters<typeof pointsIn>[2]): GeoPoint[] {
    return pointsIn(this.#document, path, read)
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

/** False for null, empty lists and objects, and those that hold nothing else. Members that no path can name are ignored. */
export function hasValue(value: JsonValue): boolean {
  if (value === null) return false
  if (Array.isArray(value)) return value.some(hasValue)
  if (!isJsonObject(value)) return true
  return Object.entries(value).some(([name, one]) => name !== '' && !name.includes('.') && hasValue(one))
}
