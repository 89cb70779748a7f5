import type { JsonObject } from '../json.ts'
import type { Transaction } from '../store/transaction.ts'
import type { FieldContent } from './content/field-content.ts'
import { type FieldRole, nameFit } from './content/field-names.ts'
import {
  type FieldFacts,
  FieldSurvey,
  lastName,
  longestSurveyed,
  type SearchUse,
  searchUse,
} from './content/field-roles.ts'
import { type DatasetSettings, mostDefaultFields, parseSettings } from './schema/dataset-settings.ts'
import { textFields } from './schema/schema.ts'
import { fieldOf } from './schema/schema-sample.ts'
import type { DatasetState } from './state.ts'

/** Number of documents whose text fields are examined to choose the searched fields. */
const FIRST_DOCUMENTS = 1000

/** Of documents that are written together, about this many are examined. */
const LOOKED_AT = 100

/**
 * So many new fields are examined first, then four times as many, until enough of them are worth searching: each time, the
 * documents are read again.
 */
const FIRST_EXAMINED = 2 * mostDefaultFields
const GROWTH = 4

/** Documents that were examined together with others, by the commit that writes them. */
const examined = new WeakMap<Transaction, WeakSet<JsonObject>>()

/**
 * Adds the text fields of documents that are about to be written to the searched fields, in the same commit. This happens only
 * if no settings, sample or schema of the dataset say which fields are searched, and while it has few documents, or none with a
 * text. The content of a field decides: numbers, dates and addresses are left out, and codes match only exactly.
 * A document that was examined with others is not examined alone: a price of `on request` does not make prices texts.
 */
export function learnFields(
  transaction: Transaction,
  { dataset, name }: DatasetState,
  documents: readonly JsonObject[],
): void {
  const entry = transaction.dataset(dataset, name)
  if (!entry.findsFields) return
  const before = examined.get(transaction) ?? new WeakSet()
  if (documents.every(document => before.has(document))) return
  for (const document of documents) before.add(document)
  examined.set(transaction, before)
  // Checked when it was stored.
  const settings = entry.settings as DatasetSettings
  const known = settings.interpretedFields
  if (known.length > 0 && transaction.counts(dataset).documents >= FIRST_DOCUMENTS) return
  const looks = new FieldLooks(documents)
  looks.examine(known)
  const found = searchedOf(newFields(documents, settings), mostDefaultFields - known.length, looks)
  const exact = exactFields([...known, ...found], settings, looks)
  if (found.length === 0 && exact.length === 0) return
  const { weights: _, ...others } = settings
  const disableOnFields = [...settings.typoTolerance.disableOnFields, ...exact]
  const learned = parseSettings({
    ...others,
    interpretedFields: withTitleFirst(known, found, looks, new Set(disableOnFields)),
    typoTolerance: { ...settings.typoTolerance, disableOnFields },
  })
  transaction.setEntry(dataset, { settings: learned })
}

/** What documents reveal about the fields that were examined. */
class FieldLooks {
  readonly #documents: readonly JsonObject[]
  readonly #fields = new Map<string, FieldFacts>()

  constructor(documents: readonly JsonObject[]) {
    const step = Math.ceil(documents.length / LOOKED_AT)
    const seen = new Set<string>()
    this.#documents = documents.filter((document, i) => {
      const names = Object.keys(document)
      // Other documents are examined only if they have new fields.
      const isLookedAt = i % step === 0 || !names.every(name => seen.has(name))
      if (isLookedAt) for (const name of names) seen.add(name)
      return isLookedAt
    })
  }

  examine(paths: readonly string[]): void {
    if (paths.length === 0) return
    const survey = new FieldSurvey(new Set(paths))
    for (const document of this.#documents) survey.add(document)
    for (const field of survey.fields) this.#fields.set(field.path, field)
  }

  useOf(path: string): SearchUse {
    const field = this.#fields.get(path)
    return field ? searchUse(field) : 'words'
  }

  contentOf(path: string): FieldContent | undefined {
    return this.#fields.get(path)?.content
  }
}

function newFields(
  documents: readonly JsonObject[],
  { idField, tagField, interpretedFields }: DatasetSettings,
): string[] {
  const found = new Set<string>()
  for (const document of documents)
    for (const field of textFields(fieldOf(document), true))
      if (field.length <= longestSurveyed) found.add(field)
  for (const field of [idField, tagField, ...interpretedFields]) found.delete(field)
  return [...found]
}

/** The first fields that are to be searched, at most `most`. */
function searchedOf(candidates: readonly string[], most: number, looks: FieldLooks): string[] {
  const searched: string[] = []
  let [from, count] = [0, FIRST_EXAMINED]
  while (from < candidates.length && searched.length < most) {
    const some = candidates.slice(from, from + count)
    looks.examine(some)
    for (const field of some)
      if (searched.length < most && looks.useOf(field) !== 'none') searched.push(field)
    from += count
    count *= GROWTH
  }
  return searched
}

function exactFields(
  fields: readonly string[],
  { typoTolerance }: DatasetSettings,
  looks: FieldLooks,
): string[] {
  const known = new Set(typoTolerance.disableOnFields)
  return fields.filter(field => !known.has(field) && looks.useOf(field) === 'exact')
}

/**
 * Puts a field with the name of a title first; otherwise the previous first one or, initially, the field with the shortest
 * texts. A field whose values are not words is not put first if there is another one.
 */
function withTitleFirst(
  known: readonly string[],
  found: readonly string[],
  looks: FieldLooks,
  exact: ReadonlySet<string>,
): string[] {
  const fields = [...known, ...found]
  const words = fields.filter(field => !exact.has(field) && looks.useOf(field) === 'words')
  const named = words.filter(field => titleName(field) > 0.5).sort((a, b) => titleName(b) - titleName(a))
  const [before] = known.filter(field => !exact.has(field))
  const first = named[0] ?? before ?? shortestOf(words, looks)
  return first === undefined ? fields : [first, ...fields.filter(field => field !== first)]
}

const titleName = (path: string): number => nameFit(path, 'title')

/** The field with the shortest texts of several words (codes and colours are shorter than titles), unless its name rules it out. */
function shortestOf(fields: readonly string[], looks: FieldLooks): string | undefined {
  const likely = fields.filter(field => !noTitles.some(role => nameFit(lastName(field), role) > 0.5))
  let shortest: { field: string; length: number } | undefined
  for (const field of likely.length > 0 ? likely : fields) {
    const length = looks.contentOf(field)?.phraseLength ?? Number.MAX_VALUE
    if (!shortest || length < shortest.length) shortest = { field, length }
  }
  return shortest?.field
}

const noTitles: readonly FieldRole[] = ['category', 'brand', 'stock', 'price', 'date', 'address']
