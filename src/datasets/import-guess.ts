import { isJsonObject, type JsonObject, type JsonValue, jsonLength, own, put, valueAt } from '../json.ts'
import { inStretches, Stretch } from '../scheduling/stretch.ts'
import { type FieldRoles, FieldSurvey, guessRoles, separatorOf } from './content/field-roles.ts'
import type { Findings } from './rows/findings.ts'
import type { Row } from './rows/row.ts'
import type { DatasetSettings } from './schema/dataset-settings.ts'

type FieldNames = Pick<DatasetSettings, 'idField' | 'tagField' | 'vectors'>

/** Rows that the guess is made from, and their maximum number of characters. */
const telling = 1000
const tellingLength = 2 ** 24

/** Keeps the first rows of an import until they tell which fields have which roles. */
export class ImportGuess {
  readonly #names: FieldNames
  readonly #survey = new FieldSurvey()
  readonly #stretch = new Stretch()
  readonly rows: Row[] = []
  #length = 0

  constructor(names: FieldNames) {
    this.#names = names
  }

  /** Whether there are enough of them now. */
  async take(rows: readonly Row[]): Promise<boolean> {
    for (const row of rows) {
      if (this.#stretch.isOver) await this.#stretch.pause()
      this.rows.push(row)
      if (row.error || !isJsonObject(row.value as JsonValue)) continue
      this.#length += jsonLength(row.value as JsonObject, tellingLength)
      this.#survey.add(row.value as JsonObject)
    }
    return this.rows.length >= telling || this.#length >= tellingLength
  }

  async decide(findings: Findings): Promise<GuessedFields> {
    const { idField, tagField, vectors = {} } = this.#names
    const { documents } = this.#survey
    const fields = this.#survey.fields.filter(({ path }) => !Object.hasOwn(vectors, path))
    const roles = await inStretches(guessRoles(fields, documents))
    if (fields.some(({ path, content }) => path === idField && content.filled > documents / 2)) {
      for (const role of Object.keys(roles) as (keyof FieldRoles)[])
        if (roles[role] === idField) roles[role] = null
      roles.id = idField
    }
    findings.roles = roles
    const category = fields.find(({ path }) => path === roles.category)
    const separator = category && separatorOf(category)
    // In the tag field itself, values are ids of tags unless they are paths.
    const isPath = category && (separator !== undefined || category.path !== tagField)
    return new GuessedFields(this.#names, {
      id: roles.id,
      category: isPath ? { field: category.path, separator: separator ?? '>' } : undefined,
      tellNoId: line =>
        findings.doubt(idField, line, '', 'is in none of the fields; the line number is used instead'),
    })
  }
}

/** Moves guessed fields to where they belong. */
export class GuessedFields {
  readonly category: { readonly field: string; readonly separator: string } | undefined
  readonly #names: FieldNames
  readonly #id: string | null
  readonly #tellNoId: (line: number) => void
  #line = 0
  #sameLine = 0

  constructor(
    names: FieldNames,
    guess: {
      readonly id: string | null
      readonly category: GuessedFields['category']
      readonly tellNoId: (line: number) => void
    },
  ) {
    this.#names = names
    this.#id = guess.id
    this.category = guess.category
    this.#tellNoId = guess.tellNoId
  }

  place(rows: readonly Row[]): Row[] {
    return rows.map(row => {
      if (row.error || !isJsonObject(row.value as JsonValue)) return row
      return { ...row, value: this.#withId(row.value as JsonObject, row.line) }
    })
  }

  #withId(document: JsonObject, line: number): JsonObject {
    const { idField } = this.#names
    if (this.#id === idField || own(document, idField) !== undefined) return document
    const placed: JsonObject = {}
    if (this.#id === null) {
      this.#tellNoId(line)
      put(placed, idField, this.#numberOf(line))
    } else {
      const id = valueAt(document, this.#id)
      if (id !== undefined) put(placed, idField, typeof id === 'string' ? id.trim() : id)
    }
    for (const name of Object.keys(document)) if (name !== this.#id) put(placed, name, document[name]!)
    return placed
  }

  /** The line number as an id; further documents of the same line get distinct ones. */
  #numberOf(line: number): string {
    this.#sameLine = line === this.#line ? this.#sameLine + 1 : 1
    this.#line = line
    return this.#sameLine === 1 ? String(line) : `${line}-${this.#sameLine}`
  }
}
