import * as z from 'zod'
import { dataSetName } from '../http/dataset-name.ts'

// Members that named keys and signed keys have in common. Their messages are the words after "expected" (contract, 1.8).

const whole = z.int().min(1).max(1_000_000)

const field = z
  .string()
  .max(500)
  .regex(/^[^-*.][^*.]*(\.[^*.]+)*$/, 'the path of a field')

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text
}

/** Members of both. */
export const keyMembers = {
  DataSets: z.array(dataSetName).min(1).max(100).describe('The only datasets that the key is for'),
  Filter: z
    .string()
    .regex(/\S/, 'text that is not blank')
    .max(10_000)
    .describe('A query string. For this key, documents that do not match do not exist'),
  ResponseFields: z
    .array(field)
    .min(1)
    .max(100)
    .describe(
      'The only fields of documents that this key can see, as dotted paths; they must include all searched fields. The id is always returned',
    ),
  Limit: z.int().min(10).max(10_000).describe('Maximum number of hits that may be asked for at a time'),
  Origins: z
    .array(z.string().max(300).refine(isOrigin, 'an origin such as https://shop.example'))
    .min(1)
    .max(100)
    .describe(
      'The only origins whose pages may use the key. This binds browsers only; other programs can claim any origin',
    ),
  RequestsPerMinute: whole.describe('Maximum number of calls per minute with this key'),
  RequestsPerMinutePerAddress: whole.describe(
    'Maximum number of calls per minute with this key from one address, in addition to RequestsPerMinute',
  ),
}

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional()

/** Members of signed keys. */
export const claimMembers = {
  DataSets: optional(keyMembers.DataSets),
  Filter: optional(keyMembers.Filter),
  ResponseFields: optional(keyMembers.ResponseFields),
  Limit: optional(keyMembers.Limit),
  Origins: optional(keyMembers.Origins),
  RequestsPerMinute: optional(keyMembers.RequestsPerMinute),
  RequestsPerMinutePerAddress: optional(keyMembers.RequestsPerMinutePerAddress),
  Visitor: z.string().min(1).max(100).optional().describe('The visitor whose calls RequestsPerMinute counts'),
}
