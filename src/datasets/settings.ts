import * as z from 'zod'
import { type Issue, invalid, parseInput, problem } from '../input.ts'
import { type FieldSchema, refuseIssues, textFields } from './schema/schema.ts'

export interface FieldWeight {
  /** How much a match in this field counts, above 0 up to 100. */
  weight: number
  /** How much a long text counts against a match in it (BM25's b), 0 to 1. */
  b: number
}

export interface DatasetSettings {
  /** Top-level field with the document's id. Default `id`. */
  idField: string
  /** Top-level field with the id or ids of the document's tags. Default `tag`. */
  tagField: string
  /** Dotted paths of the fields that are read as text, the most telling first; at most 64. */
  interpretedFields: string[]
  /** Longest n-gram of words that is counted, 1 to 6. Default 3. */
  nGramCount: number
  /** `strict` holds every rule of the HTTP contract, `lenient` (the default) asks for an id and known fields of their types. */
  validation: 'lenient' | 'strict'
  /** Whose word forms are known. Default `english`. */
  language: 'english' | 'none'
  /** One entry per interpreted field. Default 3 and .5 for the first, 1 and .6 for the others. */
  weights: Record<string, FieldWeight>
}

/** Settings as a caller may give them: everything has a default. */
export type DatasetSettingsInput = Partial<Omit<DatasetSettings, 'weights'>> & {
  weights?: Record<string, Partial<FieldWeight>>
}

export const datasetNameSchema = z
  .string()
  .min(3, 'text of 3 to 50 characters')
  .max(50, 'text of 3 to 50 characters')
  .regex(/^[a-zA-Z0-9_-]+$/, 'only the letters a to z and A to Z, digits, hyphens and underscores')

const longestId = 1024
export const idRule = `text of 1 to ${longestId} bytes of UTF-8 that is not blank, without lone surrogates, or a number`

/** An id as text, or undefined where the value cannot be one. Ids compare as text: 9 and "9" are the same. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) && !isInexact(value) ? String(value) : undefined
  if (typeof value !== 'string' || value.length > longestId) return undefined
  if (value.trim() === '' || /\p{Surrogate}/u.test(value)) return undefined
  // A UTF-16 unit takes three bytes at most, so most ids need no counting.
  return value.length * 3 <= longestId || Buffer.byteLength(value) <= longestId ? value : undefined
}

function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** @throws FindlingError INVALID_ARGUMENT naming `field` */
export function checkId(value: unknown, field: string): string {
  const text = idText(value)
  if (text !== undefined) return text
  throw invalid('INVALID_ARGUMENT', '', [problem(field, value, idRule)])
}

const strictName = /^[a-zA-Z0-9_-]{1,50}$/
export const strictNameRule = 'a name of 1 to 50 letters (a to z, A to Z), digits, hyphens or underscores'

/** Names of fields as the strict rules allow them. */
export function isStrictName(name: string): boolean {
  return strictName.test(name)
}

const topLevelRule = 'the name of a top-level field: text of 1 to 100 characters without dots'
const pathRule = 'the name of a field or a path of names joined by dots, of 1 to 500 characters'
const weightRule = 'a number above 0 up to 100'
const lengthRule = 'a number from 0 to 1'
const nGramRule = 'a whole number from 1 to 6'

const topLevelName = z
  .string(topLevelRule)
  .max(100)
  .regex(/^[^.]+$/)
const path = z
  .string(pathRule)
  .max(500)
  .regex(/^[^.]+(\.[^.]+)*$/)
const weight = z.strictObject({
  weight: z.number(weightRule).gt(0).max(100).optional(),
  b: z.number(lengthRule).min(0).max(1).optional(),
})

const mostFields = 64

const settingsSchema = z.strictObject({
  idField: topLevelName.default('id'),
  tagField: topLevelName.default('tag'),
  interpretedFields: z.array(path).max(mostFields).optional(),
  nGramCount: z.int(nGramRule).min(1).max(6).default(3),
  validation: z.enum(['lenient', 'strict']).default('lenient'),
  language: z.enum(['english', 'none']).default('english'),
  // A map, because zod's records lose the name __proto__.
  weights: z.preprocess(membersOf, z.map(z.string(), weight)).default(new Map()),
})

function membersOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return new Map(Object.entries(value))
}

const what = 'dataset settings'

/**
 * Settings with every default filled in; giving the result again gives the same.
 * @param fields what sample or schema know. Interpreted fields that are not given are their text fields (at most
 * 16, in their order, without id and tag), and `title` and `desc` where neither sample nor schema is known.
 */
export function parseSettings(input: unknown, fields?: FieldSchema): DatasetSettings {
  const given = parseInput(settingsSchema, input ?? {}, what)
  const interpretedFields = given.interpretedFields ?? defaultFields(given, fields)
  refuseIssues(what, issuesOf({ ...given, interpretedFields }))
  return { ...given, interpretedFields, weights: weightsOf(interpretedFields, given.weights) }
}

type ParsedSettings = z.output<typeof settingsSchema>

const mostDefaultFields = 16

function defaultFields({ idField, tagField, validation }: ParsedSettings, fields?: FieldSchema): string[] {
  if (!fields) return ['title', 'desc'].filter(name => name !== idField && name !== tagField)
  const named = textFields(fields, validation === 'lenient')
  return named.filter(name => name !== idField && name !== tagField).slice(0, mostDefaultFields)
}

/** What holds between the settings, which no schema of a single one can say. */
function issuesOf(settings: ParsedSettings & { interpretedFields: string[] }): Issue[] {
  const { idField, tagField, interpretedFields, weights, validation } = settings
  const issues: Issue[] = []
  const require = (holds: boolean, field: string, value: string, expected: string) => {
    if (!holds) issues.push(problem(field, value, expected))
  }
  require(idField !== tagField, 'tagField', tagField, 'another field than idField')
  const seen = new Set<string>()
  for (const [i, name] of interpretedFields.entries()) {
    require(!seen.has(name), `interpretedFields[${i}]`, name, 'each field once')
    seen.add(name)
  }
  for (const name of weights.keys()) require(seen.has(name), 'weights', name, 'names of interpreted fields')
  if (validation === 'lenient') return issues
  require(isStrictName(idField), 'idField', idField, strictNameRule)
  require(isStrictName(tagField), 'tagField', tagField, strictNameRule)
  for (const [i, name] of interpretedFields.entries()) {
    const isStrict = name.split('.').every(isStrictName)
    require(isStrict, `interpretedFields[${i}]`, name, `${strictNameRule}, joined by dots`)
  }
  return issues
}

const firstWeight: FieldWeight = { weight: 3, b: 0.5 }
const otherWeight: FieldWeight = { weight: 1, b: 0.6 }

function weightsOf(fields: readonly string[], given: ParsedSettings['weights']): Record<string, FieldWeight> {
  const weights = fields.map((field, i): [string, FieldWeight] => {
    const { weight, b } = i === 0 ? firstWeight : otherWeight
    const own = given.get(field)
    return [field, { weight: own?.weight ?? weight, b: own?.b ?? b }]
  })
  return Object.fromEntries(weights)
}
