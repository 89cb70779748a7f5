import * as z from 'zod'
import { type LanguageCode, languageOf } from '../../analysis/language-codes.ts'
import { type Language, languages } from '../../analysis/languages.ts'
import type { OwnAnalyzer } from '../../analysis/own-analyzer.ts'
import { fieldPath, type Issue, parseInput, problem, refuseIssues } from '../../input.ts'
import { isObject } from '../../json.ts'
import { didYouMean } from '../../nearest-name.ts'
import { type BasketSetting, basketSetting } from './basket-setting.ts'
import { pathSchema as path, pathRule } from './names.ts'
import { type FieldSchema, type FieldType, fieldAt, isNumberType, textFields } from './schema.ts'
import {
  type SearchSettings,
  type SearchSettingsInput,
  searchSettingIssues,
  searchSettingsMembers,
} from './search-settings.ts'
import { type VectorSetting, vectorIssues, vectorSetting } from './vector-settings.ts'

/** The weight of a field in the ranking. */
export interface FieldWeight {
  /** How much a match in this field counts, above 0 up to 100. */
  weight: number
  /** Length normalization (BM25's b), 0 to 1. */
  b: number
}

/** How a number of a document raises its rank. `boost`: the most it adds, as a fraction of the score; above 0 up to 10. */
export type SignalSetting =
  /** For numbers: more is better; the value `pivot`, above 0, gives half of the boost. */
  | { pivot: number; boost: number }
  /** For dates: newer is better; this age in days, above 0, gives half of the boost. */
  | { halfLifeDays: number; boost: number }

/** The settings of a dataset, with defaults filled in. */
export interface DatasetSettings extends SearchSettings {
  /** Top-level field with the document's id. Default `id`. */
  idField: string
  /** Top-level field with the id or ids of the document's tags. Default `tag`. */
  tagField: string
  /**
   * The searched fields (searchable attributes) as dotted paths, the most important first; at most 64. A path may lead
   * through lists of objects. Default: the text fields of the sample or schema; without these, the text fields of the first
   * 1,000 documents (empty until a document has a text); at most 16 of them.
   */
  interpretedFields: string[]
  /** Longest word n-grams that `tags.words()` counts and classifier services learn, 1 to 6. Default 3. */
  nGramCount: number
  /** `strict` enforces every rule of the HTTP contract; `lenient` (default) requires an id, and the right types in known fields. */
  validation: 'lenient' | 'strict'
  /** The language whose word forms are recognised: `chair` finds `chairs`. `none`: no word forms. Default `english`. */
  language: Language
  /**
   * A custom analyzer from the option `analyzers` of `Engine.open`, which replaces the tokenizer or stemmer for search, filters,
   * highlights and classification. Completion and similarity use the built-in tokenizer. Default: none.
   */
  analyzer?: OwnAnalyzer
  /** One entry per interpreted field. Default 4 and .6 for the first, 1 and .7 for the others. */
  weights: Record<string, FieldWeight>
  /** Numbers and dates that count in the ranking, by dotted path; at most 8. Default none. */
  signals: Record<string, SignalSetting>
  /**
   * Fields of documents that hold vectors, such as embeddings, by dotted path; at most 8. Searches compare these fields with a
   * vector (their option `vector`). Documents cannot be filtered, sorted or counted by them. Default none.
   */
  vectors?: Record<string, VectorSetting>
  /** The baskets that `boughtTogether()` and `trending()` read: documents of another dataset. Default none. */
  baskets?: BasketSetting
  /**
   * Whether documents about the same topics as the best hits rank higher. From 1,000 documents on, a worker thread learns the
   * topics, and learns them again when the number of documents has doubled or halved; this takes about 90 bytes of memory per
   * document. Default true.
   */
  topics: boolean
  /**
   * Whether searches predict which tags a query is about, and rank documents with these tags higher if the predictions are
   * accurate enough. From 1,000 documents on, if two tags of the tree have ten documents each, a worker thread learns this, and
   * learns it again when the number of documents has grown by half or halved, or half as many (at least 1,000) were written.
   * Default true.
   */
  categories: boolean
  /**
   * Whether a text with HTML tags or entities is read as the text that a browser shows, for search, highlights, completion,
   * similarity and classification: `<li>` is then no word, and `Gr&ouml;&szlig;e` is one. This is decided for each text: `5 < 10`
   * stays as it is, as do texts of more than 262,144 characters. Documents are stored as they are. Default true.
   */
  markup: boolean
}

/** Settings as input: everything has a default. */
export type DatasetSettingsInput = Partial<
  Omit<DatasetSettings, 'weights' | 'language' | 'analyzer' | 'baskets' | keyof SearchSettings>
> &
  SearchSettingsInput & {
    /** The name of a language or its code, such as `de` or `de-AT`. */
    language?: Language | LanguageCode
    weights?: Record<string, Partial<FieldWeight>>
    /** The name of an analyzer from the option `analyzers` of `Engine.open`, or its entry in `settings`; null: none. */
    analyzer?: string | OwnAnalyzer | null
    /** Null: none. */
    baskets?: BasketSetting | null
  }

const strictName = /^[a-zA-Z0-9_-]{1,50}$/
export const strictNameRule = 'a name of 1 to 50 letters (a to z, A to Z), digits, hyphens or underscores'

/** Names of fields as the strict rules allow them. */
export function isStrictName(name: string): boolean {
  return strictName.test(name)
}

const topLevelRule = 'the name of a top-level field: text of 1 to 100 characters without dots'
const weightRule = 'a number above 0 up to 100'
const lengthRule = 'a number from 0 to 1'
const positiveRule = 'a number above 0'
const boostRule = 'a number above 0 up to 10'
const nGramRule = 'a whole number from 1 to 6'

const topLevelName = z
  .string(topLevelRule)
  .max(100)
  .regex(/^[^.]+$/)
const weight = z.strictObject({
  weight: z.number(weightRule).gt(0).max(100).optional(),
  b: z.number(lengthRule).min(0).max(1).optional(),
})

const signal = z.strictObject({
  pivot: z.number(positiveRule).gt(0, positiveRule).optional(),
  halfLifeDays: z.number(positiveRule).gt(0, positiveRule).optional(),
  boost: z.number(boostRule).gt(0, boostRule).max(10, boostRule),
})

/** A custom analyzer, as `Engine.open` takes it. */
export const ownAnalyzerOption = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,50}$/, {
    error: 'a name of 1 to 50 letters (a to z, A to Z), digits, hyphens or underscores',
  }),
  version: z.int().min(1),
  url: z.string().min(1),
})

/** Maximum number of searched fields. */
export const mostSearched = 64
const mostSignals = 8

const settingsSchema = z.strictObject({
  idField: topLevelName.default('id'),
  tagField: topLevelName.default('tag'),
  interpretedFields: z.array(path).max(mostSearched).optional(),
  nGramCount: z.int(nGramRule).min(1).max(6).default(3),
  validation: z.enum(['lenient', 'strict']).default('lenient'),
  language: z.preprocess(namedLanguage, z.enum(languages)).default('english'),
  analyzer: ownAnalyzerOption.nullish(),
  // A map, because zod's records lose the name __proto__.
  weights: z.preprocess(membersOf, z.map(z.string(), weight)).default(new Map()),
  signals: z.preprocess(membersOf, z.map(z.string(), signal)).default(new Map()),
  vectors: z.preprocess(membersOf, z.map(z.string(), vectorSetting)).optional(),
  baskets: basketSetting.nullish(),
  topics: z.boolean().default(true),
  categories: z.boolean().default(true),
  markup: z.boolean().default(true),
  ...searchSettingsMembers,
})

/** The name of the language that a code stands for; other values as they are, except promises, for which zod would wait. */
function namedLanguage(value: unknown): unknown {
  if (typeof value === 'string') return languageOf(value) ?? value
  return value instanceof Promise ? undefined : value
}

/** A map of an object's members, for zod, whose records lose the name `__proto__`; other values as they are. */
export function membersOf(value: unknown): unknown {
  return isObject(value) ? new Map(Object.entries(value)) : value
}

const what = 'dataset settings'

/**
 * Settings with every default filled in; parsing the result again changes nothing.
 * @param fields the fields that the sample or schema declares. Interpreted fields default to the text fields among them (at
 * most 16, in order, without id and tag), and to none without a sample or schema.
 */
export function parseSettings(input: unknown, fields?: FieldSchema): DatasetSettings {
  const given = parseInput(settingsSchema, input ?? {}, what)
  const interpretedFields = given.interpretedFields ?? defaultFields(given, fields)
  refuseIssues(what, [
    ...issuesOf({ ...given, interpretedFields }),
    ...signalIssues(given),
    ...vectorIssues(given.vectors ?? new Map(), vectorless(given, interpretedFields), name =>
      isFieldPath(name, given),
    ),
    ...searchSettingIssues(given),
  ])
  const { analyzer, vectors, baskets, ...others } = given
  return {
    ...others,
    interpretedFields,
    weights: weightsOf(interpretedFields, given.weights),
    signals: signalsOf(given.signals),
    ...(analyzer && { analyzer }),
    ...(vectors && vectors.size > 0 && { vectors: Object.fromEntries(vectors) }),
    ...(baskets && { baskets }),
  }
}

/** Fields that cannot hold vectors. */
const vectorless = ({ idField, tagField, signals }: ParsedSettings, interpretedFields: readonly string[]) => [
  idField,
  tagField,
  ...interpretedFields,
  ...signals.keys(),
]

const isFieldPath = (name: string, { validation }: ParsedSettings): boolean =>
  path.safeParse(name).success && (validation === 'lenient' || isStrictPath(name))

type ParsedSettings = z.output<typeof settingsSchema>

/**
 * Refuses new settings that would be accepted if they were stored already. Strict datasets may have no searched field.
 * @throws FindlingError INVALID_ARGUMENT
 */
export function refuseUseless(settings: DatasetSettings, given: unknown, fields?: FieldSchema): void {
  const { interpretedFields, signals, validation, groupBy, vectors = {} } = settings
  const issues: Issue[] = []
  if (
    groupBy !== null &&
    Object.keys(vectors).some(name => groupBy === name || groupBy.startsWith(`${name}.`))
  )
    issues.push(problem('groupBy', groupBy, 'a field that holds no vectors'))
  const isEmpty = Array.isArray(given) && given.length === 0
  if (isEmpty && validation !== 'strict')
    issues.push(
      problem(
        'interpretedFields',
        given,
        'at least one field; omit the setting to have text fields detected',
      ),
    )
  for (const [name, signal] of Object.entries(signals)) {
    const field = fields && fieldAt(fields, name)
    const type = (field?.items ?? field)?.type ?? (interpretedFields.includes(name) ? 'string' : 'any')
    const [fits, expected] =
      'pivot' in signal
        ? [isNumeric(type), 'a field of numbers']
        : [isNumeric(type) || type === 'string' || type === 'date', 'a field of times']
    if (!fits)
      issues.push({ field: fieldPath([name], 'signals'), received: `of a ${kindOf(type)} field`, expected })
  }
  refuseIssues(what, issues)
}

const isNumeric = (type: FieldType): boolean => type === 'any' || isNumberType(type)

const kindOf = (type: FieldType): string => (type === 'string' ? 'text' : type)

export const mostDefaultFields = 16

function defaultFields({ idField, tagField, validation }: ParsedSettings, fields?: FieldSchema): string[] {
  if (!fields) return []
  const named = textFields(fields, validation === 'lenient')
  return named.filter(name => name !== idField && name !== tagField).slice(0, mostDefaultFields)
}

/** What was expected instead of a name that is not among the interpreted fields. */
export function interpretedField(name: string, fields: readonly string[]): string {
  if (fields.length === 0) return 'an interpreted field, but there are none yet'
  return `an interpreted field: ${fields.join(', ')}${didYouMean(name, fields)}`
}

/** Issues with combinations of settings, which no schema of a single setting can express. */
function issuesOf(settings: ParsedSettings & { interpretedFields: string[] }): Issue[] {
  const { idField, tagField, interpretedFields, weights, typoTolerance, validation } = settings
  const issues: Issue[] = []
  const require = (holds: boolean, field: string, value: string, expected: string) => {
    if (!holds) issues.push(problem(field, value, expected))
  }
  require(idField !== tagField, 'tagField', tagField, 'a field other than the id field')
  const seen = new Set<string>()
  for (const [i, name] of interpretedFields.entries()) {
    require(!seen.has(name), `interpretedFields[${i}]`, name, 'each field once')
    seen.add(name)
  }
  for (const name of weights.keys())
    require(seen.has(name), 'weights', name, interpretedField(name, interpretedFields))
  for (const [i, name] of typoTolerance.disableOnFields.entries())
    require(seen.has(name), `typoTolerance.disableOnFields[${i}]`, name, interpretedField(
      name,
      interpretedFields,
    ))
  if (validation === 'lenient') return issues
  require(isStrictName(idField), 'idField', idField, strictNameRule)
  require(isStrictName(tagField), 'tagField', tagField, strictNameRule)
  for (const [i, name] of interpretedFields.entries()) {
    require(isStrictPath(name), `interpretedFields[${i}]`, name, strictPathRule)
  }
  return issues
}

function signalIssues({ signals, validation }: ParsedSettings): Issue[] {
  const issues: Issue[] = []
  if (signals.size > mostSignals)
    issues.push({ field: 'signals', received: `${signals.size} entries`, expected: `at most ${mostSignals}` })
  for (const [name, { pivot, halfLifeDays }] of signals) {
    if (!path.safeParse(name).success) issues.push(problem('signals', name, pathRule))
    else if (validation === 'strict' && !isStrictPath(name))
      issues.push(problem('signals', name, strictPathRule))
    if ((pivot === undefined) === (halfLifeDays === undefined)) {
      const received =
        pivot === undefined ? 'an object with neither of the two' : 'an object with both of them'
      const field = fieldPath([name], 'signals')
      issues.push({ field, received, expected: 'either pivot (for numbers) or halfLifeDays (for dates)' })
    }
  }
  return issues
}

const strictPathRule = `${strictNameRule}, joined by dots`
const isStrictPath = (name: string): boolean => name.split('.').every(isStrictName)

// Measured over collections of products, questions and articles.
const firstWeight: FieldWeight = { weight: 4, b: 0.6 }
const otherWeight: FieldWeight = { weight: 1, b: 0.7 }

function weightsOf(fields: readonly string[], given: ParsedSettings['weights']): Record<string, FieldWeight> {
  const weights = fields.map((field, i): [string, FieldWeight] => {
    const { weight, b } = i === 0 ? firstWeight : otherWeight
    const own = given.get(field)
    return [field, { weight: own?.weight ?? weight, b: own?.b ?? b }]
  })
  return Object.fromEntries(weights)
}

/** Settings without issues: each has one of the two. */
function signalsOf(given: ParsedSettings['signals']): Record<string, SignalSetting> {
  const signals = [...given].map(([name, { pivot, halfLifeDays, boost }]): [string, SignalSetting] => {
    return [name, pivot === undefined ? { halfLifeDays: halfLifeDays!, boost } : { pivot, boost }]
  })
  return Object.fromEntries(signals)
}
