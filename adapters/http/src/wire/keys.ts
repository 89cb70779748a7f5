import * as z from 'zod'
import { type NamedKey, type NamedKeyInput, scopes } from '../access/keys.ts'
import { dataSetName } from './rules.ts'

const Scope = z.enum(scopes)
const Name = z.string().trim().min(1).max(100).describe('For people; no two keys have the same')
const whole = z.int().min(1).max(1_000_000)

/** What a key is asked for with. */
export const KeyInput = z
  .strictObject({
    Name,
    Scopes: z
      .array(Scope)
      .min(1)
      .describe('What the key may be used for. Admin includes the others; each call says which one it needs'),
    DataSets: z
      .array(dataSetName)
      .min(1)
      .max(100)
      .nullable()
      .default(null)
      .describe('The only datasets that the key is for. Null: all'),
    Filter: z
      .string()
      .regex(/\S/, 'text that is not blank')
      .max(10_000)
      .nullable()
      .default(null)
      .describe(
        'A query string. Documents that do not match are not there for this key. Only with DataSets, and with the ' +
          'scopes Read and Search',
      ),
    Expires: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .describe('When the key ends, as 2030-01-31T00:00:00Z. Null: never'),
    RequestsPerMinute: whole
      .nullable()
      .default(null)
      .describe('How many calls may be made with it. Null: as many as the configuration says'),
  })
  .check(({ value, issues }) => {
    const bound = value.DataSets !== null || value.Filter !== null
    const refuse = (path: string, input: unknown, message: string) =>
      issues.push({ code: 'custom', path: [path], input, message })
    if (bound && value.Scopes.includes('Admin'))
      refuse('Scopes', value.Scopes, 'no Admin with DataSets or Filter: it may make keys without them')
    if (value.Filter === null) return
    if (value.DataSets === null) refuse('DataSets', null, 'the datasets that the filter is for')
    if (value.Scopes.includes('Write')) refuse('Scopes', value.Scopes, 'Read, Search or both with a Filter')
  })
  .meta({ id: 'KeyInput' })

const members = {
  Id: z.guid(),
  Name: z.string(),
  Scopes: z.array(Scope),
  DataSets: z.array(z.string()).nullable(),
  Filter: z.string().nullable(),
  Expires: z.string().nullable(),
  Created: z.string(),
  RequestsPerMinute: z.int().nullable(),
}

export const Key = z.object(members).meta({ id: 'Key' })

export const NewKey = z
  .object({
    ...members,
    Key: z.string().describe('The key itself. It is shown this once and stored as a hash only'),
  })
  .meta({ id: 'NewKey' })

export function keyInput(given: z.output<typeof KeyInput>): NamedKeyInput {
  const { Name, Scopes, DataSets, Filter, Expires, RequestsPerMinute } = given
  return {
    name: Name,
    scopes: [...new Set(Scopes)],
    datasets: DataSets && [...new Set(DataSets)],
    filter: Filter,
    expiresAt: Expires === null ? null : Date.parse(Expires),
    requestsPerMinute: RequestsPerMinute,
  }
}

export function keyModel(about: NamedKey): z.output<typeof Key> {
  return {
    Id: about.id,
    Name: about.name,
    Scopes: about.scopes,
    DataSets: about.datasets,
    Filter: about.filter,
    Expires: about.expiresAt === null ? null : new Date(about.expiresAt).toISOString(),
    Created: new Date(about.createdAt).toISOString(),
    RequestsPerMinute: about.requestsPerMinute,
  }
}
