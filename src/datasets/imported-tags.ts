import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, own, put, valueAt } from '../json.ts'
import type { PathTags } from './path-tags.ts'
import { splitTexts } from './rows/csv-cells.ts'
import type { Findings } from './rows/findings.ts'
import { invalidRow, type Row } from './rows/row.ts'
import type { TagShape } from './schema/schema.ts'
import type { DocumentsContext } from './writes.ts'

/** The field that has a path of tag names, and the separator between the names. */
export type TagPathOption = string | { field: string; separator?: string | undefined }

const field = z.string().min(1).max(1000)
const separator = z
  .string()
  .max(10)
  .refine(text => text.trim() !== '', 'text that is not blank')

export const tagPathOption = z.union([
  field.transform(name => ({ field: name, separator: '>' })),
  z.strictObject({ field, separator: separator.default('>') }),
])

/** Maximum length of a text with paths; a longer one is ignored. */
const longestList = 50_000

/** Gives the documents of an import the tags that their paths lead to. */
export class ImportedTags {
  readonly #paths: PathTags
  readonly #field: string
  readonly #separator: string
  readonly #tagField: string
  readonly #shape: TagShape
  readonly #findings: Findings

  constructor(
    { pathTags, state }: DocumentsContext,
    { field, separator }: z.output<typeof tagPathOption>,
    findings: Findings,
  ) {
    this.#paths = pathTags(separator)
    this.#field = field
    this.#separator = separator
    this.#tagField = state.settings.tagField
    this.#shape = state.schema.tag
    this.#findings = findings
  }

  /** How many tags have been created. */
  get made(): number {
    return this.#paths.made
  }

  async give(rows: readonly Row[]): Promise<Row[]> {
    const texts = rows.map(row => this.#textsOf(row))
    const placed = await this.#paths.place(texts)
    return rows.map((row, i) => {
      const found = placed[i]!
      const { line, bytesRead } = row
      if (found instanceof FindlingError)
        return {
          line,
          bytesRead,
          error: invalidRow(line, `cannot be tagged: ${found.message}`, found),
        }
      for (const { given, tag } of found.spellings)
        this.#findings.doubt(
          this.#field,
          line,
          given,
          `is treated as another spelling of the tag ${JSON.stringify(tag)}`,
        )
      return found.ids.length === 0
        ? row
        : { ...row, value: this.#tagged(row.value as JsonObject, found.ids) }
    })
  }

  #textsOf({ value, error }: Row): string[] {
    // Anything but an object is refused when it is written.
    if (error || !isJsonObject(value as JsonValue)) return []
    const found = valueAt(value as JsonObject, this.#field)
    if (Array.isArray(found)) return found.filter(one => typeof one === 'string')
    if (typeof found !== 'string') return []
    return this.#separator.includes('|') || found.length > longestList ? [found] : splitTexts(found)
  }

  #tagged(document: JsonObject, ids: readonly string[]): JsonObject {
    const given = this.#tagField === this.#field ? undefined : own(document, this.#tagField)
    const others = Array.isArray(given) ? given : given === undefined || given === '' ? [] : [given]
    const numbered = ids.map(id => (this.#shape.integer ? Number(id) : id))
    const all = [...new Set([...others, ...numbered])]
    const tagged = { ...document }
    put(tagged, this.#tagField, all.length === 1 && this.#shape.shape !== 'array' ? all[0]! : all)
    return tagged
  }
}
