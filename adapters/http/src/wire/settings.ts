import { type DatasetSettings, type DatasetSettingsInput, languages } from 'findling'
import * as z from 'zod'
import { camel, fromWire, pascal, toWire } from './casing.ts'
import { fieldPath } from './rules.ts'

export const nGramCount = z.int('a whole number from 1 to 6').min(1).max(6)
const positive = z.number('a number above 0').gt(0)

const language = z.enum(languages.map(pascal))
const validation = z.enum(['Strict', 'Lenient'])

/** Settings that the contract does not have, as a dataset is given them. */
export const givenExtras = {
  Language: language
    .optional()
    .describe('The language whose word forms are recognised. Default English')
    .meta({ 'x-extension': true }),
  Weights: z
    .array(
      z.strictObject({
        Field: fieldPath,
        Weight: z.number().gt(0).max(100).optional(),
        B: z.number().min(0).max(1).optional(),
      }),
    )
    .optional()
    .describe('How much a match in an interpreted field counts, and how much a long text counts against it')
    .meta({ 'x-extension': true }),
  Signals: z
    .array(
      z.strictObject({
        Field: fieldPath,
        Pivot: positive.optional().describe('For numbers: the value that gives half of the boost'),
        HalfLifeDays: positive.optional().describe('For dates: the age in days that gives half of the boost'),
        Boost: z
          .number()
          .gt(0)
          .max(10)
          .describe('The most that it adds, as a part of the score: 1 doubles it'),
      }),
    )
    .optional()
    .describe(
      'Numbers and times that weigh in the rank beside the text, each with either Pivot or HalfLifeDays; ' +
        'they take the place of all there were',
    )
    .meta({ 'x-extension': true }),
  Topics: z
    .boolean()
    .optional()
    .describe('Whether documents about the same as the best hits rank higher. Default true')
    .meta({ 'x-extension': true }),
}

/** What can change after a dataset was made; what is left out stays. */
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
    Topics: z.boolean(),
  })
  .meta({ id: 'DataSetSettings' })

export function settingsModel(settings: DatasetSettings): z.output<typeof DataSetSettings> {
  const { interpretedFields, nGramCount, language, validation, weights, signals, topics } = settings
  return toWire({
    interpretedFields,
    nGramCount,
    language: pascal(language),
    validation: pascal(validation),
    weights: Object.entries(weights).map(([field, weight]) => ({ field, ...weight })),
    signals: Object.entries(signals).map(([field, signal]) => ({ field, ...signal })),
    topics,
  })
}

type GivenSettings = z.output<typeof DataSetSettingsUpdate> & { IdField?: string; TagField?: string }

export function settingsIn(model: GivenSettings): DatasetSettingsInput {
  const { Language, Validation, Weights, Signals, ...plain } = model
  return {
    ...fromWire(plain),
    ...(Language && { language: camel(Language) }),
    ...(Validation && { validation: camel(Validation) }),
    ...(Weights && { weights: byField(Weights) }),
    // That each has one of its two forms is the engine's to say.
    ...(Signals && { signals: byField(Signals) as DatasetSettings['signals'] }),
  }
}

function byField<Entry extends { Field: string }>(entries: readonly Entry[]) {
  return Object.fromEntries(entries.map(({ Field, ...members }) => [Field, fromWire(members)]))
}
