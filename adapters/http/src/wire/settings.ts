import { type DatasetSettings, type DatasetSettingsInput, languageOf, languages } from 'findling'
import { basketSetting, typoOptions, vectorSetting } from 'findling/schemas'
import * as z from 'zod'
import { camel, fromWire, pascal, toWire } from './casing.ts'
import { derived } from './derived.ts'
import type { Origins } from './origins.ts'
import { dataSetName, fieldPath } from './rules.ts'

export const nGramCount = z.int('a whole number from 1 to 6').min(1).max(6)
const positive = z.number('a number above 0').gt(0)

const words = z
  .string()
  .max(200)
  .refine(text => /[\p{L}\p{N}]/u.test(text), 'text of 1 to 200 characters with a letter or a digit')
export const documentId = z.string()
const synonymsList = z
  .array(z.strictObject({ Root: words.optional(), Synonyms: z.array(words).min(1).max(100) }))
  .max(10_000)
const stopWordsList = z.array(words).max(10_000)
export const pinnedList = z
  .array(
    z.strictObject({ Id: documentId, Position: z.int('a whole number from 1 to 10000').min(1).max(10_000) }),
  )
  .max(100)
export const hiddenList = z.array(documentId).max(1000)
/** Null cannot be told apart from an absent member, so an empty text means no field. */
export const groupPath = z.union([fieldPath, z.literal('')])
export const typoMembers = derived(typoOptions, {
  DisableOnFields: 'Searched fields in which words must match exactly as typed',
  DisableOnWords: 'Words that are never taken for typos',
  DisableOnCodes: 'Whether words with a digit are never taken for typos. Default false',
})
const match = z.enum(['Exact', 'Contains'])

/** How queries are interpreted and hits arranged: changing these needs no reindexing. */
const searchExtras = {
  Synonyms: synonymsList
    .optional()
    .describe(
      'Texts that mean the same. Without a root, each finds the others; with one, only the root finds the others. Several words ' +
        'must directly follow one another',
    )
    .meta({ 'x-extension': true }),
  StopWords: stopWordsList
    .optional()
    .describe('Words that are ignored in queries, unless a query has no others')
    .meta({ 'x-extension': true }),
  Curations: z
    .array(
      z.strictObject({
        Query: words.optional().describe('The query to which it applies. Default: every query'),
        Match: match
          .optional()
          .describe(
            'Exact, the default: the query has only these words. Contains: it contains them, one directly after the other',
          ),
        Pinned: pinnedList
          .optional()
          .describe('Documents at fixed positions, from 1, whether they match or not'),
        Hidden: hiddenList.optional().describe('Ids of documents to exclude'),
      }),
    )
    .max(10_000)
    .optional()
    .describe('Documents that are pinned or hidden for a query')
    .meta({ 'x-extension': true }),
  TypoTolerance: z
    .strictObject(typoMembers)
    .optional()
    .describe('Fields and words without typo tolerance. Default: none')
    .meta({ 'x-extension': true }),
  GroupBy: groupPath
    .optional()
    .describe(
      'Of documents with the same value in this field, only the best is found. Empty, the default: no grouping',
    )
    .meta({ 'x-extension': true }),
  Relax: z
    .boolean()
    .optional()
    .describe(
      'Whether words are dropped from a query that requires all of its words if nothing matches. Default false',
    )
    .meta({ 'x-extension': true }),
}

const language = z.enum(languages.map(pascal))
/** Accepts a language code in place of the name. */
const codedLanguage = z.preprocess(
  given => (typeof given === 'string' && /^[a-z]{2}(?:[-_]|$)/i.test(given) ? nameOf(given) : given),
  language,
)

function nameOf(code: string): string {
  const known = languageOf(code)
  return known === undefined ? code : pascal(known)
}
const validation = z.enum(['Strict', 'Lenient'])

type ByField = z.core.ParsePayload<readonly { Field: string }[]>

/** Of two entries for one field, one would be lost. */
function refuseRepeated({ value, issues }: ByField): void {
  const fields = new Set<string>()
  for (const [i, { Field }] of value.entries()) {
    if (fields.has(Field)) {
      const message = 'a field that no entry before has'
      issues.push({ code: 'custom', path: [i, 'Field'], input: Field, message })
      return
    }
    fields.add(Field)
  }
}

interface GivenBaskets {
  readonly DataSet?: string | undefined
  readonly Field?: string | undefined
  readonly Time?: string | undefined
}

/** Null cannot be told apart from an absent member, so an empty object means no baskets. */
const isWhole = ({ DataSet, Field, Time }: GivenBaskets): boolean =>
  DataSet === undefined ? Field === undefined && Time === undefined : Field !== undefined

/** Settings that the contract does not have, as given when a dataset is created. */
export const givenExtras = {
  Language: codedLanguage
    .optional()
    .describe(
      'The language whose word forms are recognised, as a name or as a code such as de or de-AT. Default English',
    )
    .meta({ 'x-extension': true }),
  Weights: z
    .array(
      z.strictObject({
        Field: fieldPath,
        Weight: z.number().gt(0).max(100).optional(),
        B: z.number().min(0).max(1).optional(),
      }),
    )
    .check(refuseRepeated)
    .optional()
    .describe('How much a match in an interpreted field counts, and how much a long text counts against it')
    .meta({ 'x-extension': true }),
  Signals: z
    .array(
      z
        .strictObject({
          Field: fieldPath,
          Pivot: positive.optional().describe('For numbers: the value that gives half of the boost'),
          HalfLifeDays: positive
            .optional()
            .describe('For dates: the age in days that gives half of the boost'),
          Boost: z
            .number()
            .gt(0)
            .max(10)
            .describe('The maximum that it adds, as a fraction of the score: 1 doubles the score'),
        })
        .refine(({ Pivot, HalfLifeDays }) => (Pivot === undefined) !== (HalfLifeDays === undefined), {
          error: 'one with either Pivot (for numbers) or HalfLifeDays (for dates)',
        }),
    )
    .check(refuseRepeated)
    .optional()
    .describe(
      'Numbers and times that affect the ranking in addition to the text, each with either Pivot or HalfLifeDays; ' +
        'they replace all earlier ones',
    )
    .meta({ 'x-extension': true }),
  Vectors: z
    .array(
      z.strictObject({
        Field: fieldPath,
        ...derived(vectorSetting, { Dimensions: 'Length of the vectors' }),
      }),
    )
    .check(refuseRepeated)
    .optional()
    .describe(
      'Fields of documents that hold vectors, such as embeddings, with which the Vector of a search is compared. They replace all earlier ones',
    )
    .meta({ 'x-extension': true }),
  Baskets: z
    .strictObject({
      DataSet: dataSetName.optional().describe('The dataset whose documents are the baskets, such as orders'),
      Field: fieldPath.optional().describe('The field of a basket with the ids of what is in it'),
      ...derived(basketSetting, {
        Time: 'The field of a basket with its date, or with milliseconds since 1970',
      }),
    })
    .refine(isWhole, { error: 'an object with DataSet and Field, or an empty one for none' })
    .optional()
    .describe('The baskets that BoughtTogether and Trending read. Empty, the default: none')
    .meta({ 'x-extension': true }),
  ...searchExtras,
  Topics: z
    .boolean()
    .optional()
    .describe('Whether documents about the same topics as the best hits rank higher. Default true')
    .meta({ 'x-extension': true }),
  Categories: z
    .boolean()
    .optional()
    .describe(
      'Whether searches of Documents return the tags that a text is about, and rank documents with these tags higher. Default true',
    )
    .meta({ 'x-extension': true }),
  Markup: z
    .boolean()
    .optional()
    .describe(
      'Whether HTML tags and entities in a text are read as what they display; documents are stored unchanged. Default true',
    )
    .meta({ 'x-extension': true }),
}

/** Settings that can change after a dataset was created; those left out stay as they are. */
export const DataSetSettingsUpdate = z
  .strictObject({
    InterpretedFields: z.array(fieldPath).optional(),
    NGramCount: nGramCount.optional(),
    Validation: validation.optional(),
    ...givenExtras,
  })
  .meta({
    id: 'DataSetSettingsUpdate',
    examples: [{ Language: 'German', Signals: [{ Field: 'price', Pivot: 100, Boost: 0.5 }] }],
  })

export const DataSetSettings = z
  .object({
    InterpretedFields: z.array(z.string()),
    NGramCount: z.int(),
    Language: language,
    Validation: validation,
    Weights: z.array(z.object({ Field: z.string(), Weight: z.number(), B: z.number() })),
    Signals: z.array(
      z.object({
        Field: z.string(),
        Pivot: z.number().optional(),
        HalfLifeDays: z.number().optional(),
        Boost: z.number(),
      }),
    ),
    Vectors: z.array(z.object({ Field: z.string(), Dimensions: z.int() })).optional(),
    Baskets: z.object({ DataSet: z.string(), Field: z.string(), Time: z.string().optional() }).optional(),
    Synonyms: z.array(z.object({ Root: z.string().optional(), Synonyms: z.array(z.string()) })),
    StopWords: z.array(z.string()),
    Curations: z.array(
      z.object({
        Query: z.string().optional(),
        Match: match,
        Pinned: z.array(z.object({ Id: z.string(), Position: z.int() })),
        Hidden: z.array(z.string()),
      }),
    ),
    TypoTolerance: z.object({
      DisableOnFields: z.array(z.string()),
      DisableOnWords: z.array(z.string()),
      DisableOnCodes: z.boolean(),
    }),
    GroupBy: z.string(),
    Relax: z.boolean(),
    Topics: z.boolean(),
    Categories: z.boolean(),
    Markup: z.boolean(),
  })
  .meta({ id: 'DataSetSettings' })

export function settingsModel(settings: DatasetSettings): z.output<typeof DataSetSettings> {
  const { interpretedFields, nGramCount, language, validation, weights, signals } = settings
  const { vectors, baskets, topics, categories, markup } = settings
  const { synonyms, stopWords, curations, typoTolerance, groupBy, relax } = settings
  const model = toWire({
    interpretedFields,
    nGramCount,
    language: pascal(language),
    validation: pascal(validation),
    weights: Object.entries(weights).map(([field, weight]) => ({ field, ...weight })),
    signals: Object.entries(signals).map(([field, signal]) => ({ field, ...signal })),
    ...(vectors && {
      vectors: Object.entries(vectors).map(([field, vector]) => ({ field, ...vector })),
    }),
    topics,
    categories,
    markup,
    synonyms,
    stopWords,
    curations: curations.map(({ query, match, pinned, hidden }) => {
      return { ...(query !== null && { query }), match: pascal(match), pinned, hidden }
    }),
    typoTolerance,
    groupBy: groupBy ?? '',
    relax,
  }) as z.output<typeof DataSetSettings> // lists of settings are read-only
  if (!baskets) return model
  const { dataset, ...members } = baskets
  return { ...model, Baskets: { DataSet: dataset, ...toWire(members) } }
}

export const settingsOrigins: Origins = {
  weights: { list: 'Weights', by: 'Field' },
  signals: { list: 'Signals', by: 'Field' },
  vectors: { list: 'Vectors', by: 'Field' },
  'baskets.dataset': 'Baskets.DataSet',
}

type GivenSettings = z.output<typeof DataSetSettingsUpdate> & { IdField?: string; TagField?: string }

export function settingsIn(model: GivenSettings): DatasetSettingsInput {
  const { Language, Validation, Weights, Signals, Vectors, Baskets, Curations, GroupBy, ...plain } = model
  return {
    ...fromWire(plain),
    ...(Curations && { curations: Curations.map(curationIn) }),
    ...(GroupBy !== undefined && { groupBy: GroupBy === '' ? null : GroupBy }),
    ...(Language && { language: camel(Language) }),
    ...(Validation && { validation: camel(Validation) }),
    ...(Weights && { weights: byField(Weights) }),
    // The engine checks that each has one of its two forms.
    ...(Vectors && { vectors: byField(Vectors) }),
    ...(Baskets && { baskets: basketsIn(Baskets) }),
    ...(Signals && { signals: byField(Signals) as DatasetSettings['signals'] }),
  }
}

const basketsIn = ({ DataSet: dataset, Field: field, Time: time }: GivenBaskets) =>
  dataset === undefined || field === undefined
    ? null
    : { dataset, field, ...(time !== undefined && { time }) }

type GivenCuration = NonNullable<GivenSettings['Curations']>[number]

const curationIn = ({ Match, ...others }: GivenCuration) => ({
  ...fromWire(others),
  ...(Match && { match: camel(Match) }),
})

function byField<Entry extends { Field: string }>(entries: readonly Entry[]) {
  return Object.fromEntries(entries.map(({ Field, ...members }) => [Field, fromWire(members)]))
}
