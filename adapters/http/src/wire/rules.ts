import * as z from 'zod'
import { isObject } from '../http/objects.ts'

// Their messages follow "expected" in errors (contract, 1.8).

export { dataSetName } from '../http/dataset-name.ts'

export const fieldName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,50}$/, '1 to 50 letters (a to z, A to Z), digits, hyphens or underscores')

export const fieldPath = z
  .string()
  .max(500)
  .regex(/^[a-zA-Z0-9_-]{1,50}(\.[a-zA-Z0-9_-]{1,50})*$/, 'field names joined by dots')

export const requiredText = z.string().regex(/\S/, 'text that is not blank')

/** Number of neighbouring words. */
export const nGram = z.int().min(1).max(6)

export const nGramList = z
  .array(nGram)
  .min(1)
  .refine(list => new Set(list).size === list.length, 'a list without repeated numbers')

/** The content of a document, a sample or a schema is not checked here. */
export const content = z.custom<Record<string, unknown>>(isObject, 'an object').meta({ type: 'object' })

/** An object whose members are named by the user: all names are kept as they are, even `__proto__`. */
export function namedByUser<Value extends z.ZodType>(value: Value) {
  const { $schema: _, ...additionalProperties } = z.toJSONSchema(value, { io: 'input' })
  return z.preprocess(membersOf, z.map(z.string(), value)).meta({ type: 'object', additionalProperties })
}

const membersOf = (value: unknown): unknown => (isObject(value) ? new Map(Object.entries(value)) : value)

/** Null becomes `0001-01-01T00:00:00`, without a time zone (contract, 1.7). */
export function timeText(at: number | null): string {
  return at === null ? '0001-01-01T00:00:00' : new Date(at).toISOString()
}
