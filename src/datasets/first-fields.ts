import type { JsonObject, JsonValue } from '../json.ts'
import { valueAt } from '../json.ts'
import type { Transaction } from '../store/transaction.ts'
import { textFields } from './schema/schema.ts'
import { fieldOf } from './schema/schema-sample.ts'
import { type DatasetSettings, mostDefaultFields, parseSettings } from './schema/settings.ts'
import type { DatasetState } from './state.ts'

/** Text fields of so many documents are searched, where nobody has said which. */
const FIRST_DOCUMENTS = 1000

/** Fields of these names are titles, the first of them before the others. */
const titles = ['title', 'name', 'label', 'headline', 'subject']

/**
 * Puts the text fields of documents that are about to be written among those that are searched, in the same commit,
 * where the dataset was made without settings, sample or schema that say which these are, and while it has few
 * documents or none with a text.
 */
export function learnFields(
  transaction: Transaction,
  { dataset, name }: DatasetState,
  documents: readonly JsonObject[],
): void {
  const entry = transaction.dataset(dataset, name)
  if (!entry.findsFields) return
  // As it was made and checked when it was stored.
  const settings = entry.settings as DatasetSettings
  const known = settings.interpretedFields
  if (known.length > 0 && transaction.counts(dataset).documents >= FIRST_DOCUMENTS) return
  const fields = withTitleFirst(known, newFields(documents, settings), documents)
  if (fields.length === known.length) return
  const { weights: _, ...others } = settings
  const learned = parseSettings({ ...others, interpretedFields: fields })
  transaction.setEntry(dataset, { settings: learned })
}

function newFields(
  documents: readonly JsonObject[],
  { idField, tagField, interpretedFields }: DatasetSettings,
): string[] {
  const found = new Set<string>()
  for (const document of documents) for (const field of textFields(fieldOf(document), true)) found.add(field)
  for (const field of [idField, tagField, ...interpretedFields]) found.delete(field)
  // Longer names are none that settings may have.
  const usable = [...found].filter(field => field.length <= 500)
  return usable.slice(0, Math.max(0, mostDefaultFields - interpretedFields.length))
}

/** A field with the name of a title comes first; else the one that was first, or at the beginning the shortest text. */
function withTitleFirst(
  known: readonly string[],
  found: readonly string[],
  documents: readonly JsonObject[],
): string[] {
  const fields = [...known, ...found]
  const ranked = fields.filter(field => rankOf(field) >= 0).sort((a, b) => rankOf(a) - rankOf(b))
  const first = ranked[0] ?? known[0] ?? shortestOf(fields, documents)
  return first === undefined ? fields : [first, ...fields.filter(field => field !== first)]
}

const rankOf = (field: string): number => titles.indexOf(field.toLowerCase())

/** Of several words: codes and colours are shorter than titles. */
function shortestOf(fields: readonly string[], documents: readonly JsonObject[]): string | undefined {
  let shortest: { field: string; length: number } | undefined
  for (const field of fields) {
    const length = meanLength(documents.map(document => valueAt(document, field)))
    if (!shortest || length < shortest.length) shortest = { field, length }
  }
  return shortest?.field
}

function meanLength(values: readonly (JsonValue | undefined)[]): number {
  const texts = values.filter(value => typeof value === 'string' && /\s/.test(value.trim())) as string[]
  return texts.reduce((sum, text) => sum + text.length, 0) / texts.length || Number.MAX_VALUE
}
