import * as z from 'zod'
import { keyMembers } from '../access/key-members.ts'
import { type NamedKey, type NamedKeyInput, scopes } from '../access/keys.ts'

const Scope = z.enum(scopes)
const Name = z.string().trim().min(1).max(100).describe('A name for people to read; no two keys share one')
const orNull = <Schema extends z.ZodType>(schema: Schema, more: string) =>
  schema.nullable().default(null).describe(`${schema.description}. ${more}`)
const { DataSets, Filter, ResponseFields, Limit, Origins } = keyMembers
const { RequestsPerMinute, RequestsPerMinutePerAddress } = keyMembers

const input = z.strictObject({
  Name,
  Scopes: z
    .array(Scope)
    .min(1)
    .describe(
      'What the key may be used for. Admin includes the other scopes; each call states which one it needs',
    ),
  DataSets: orNull(DataSets, 'Null: all'),
  Filter: orNull(Filter, 'Requires DataSets, and no scopes besides Read and Search'),
  Expires: z.iso
    .datetime({ offset: true })
    .nullable()
    .default(null)
    .describe('When the key expires, such as 2030-01-31T00:00:00Z. Null: never'),
  RequestsPerMinute: orNull(RequestsPerMinute, 'Null: the limit of the configuration'),
  RequestsPerMinutePerAddress: orNull(RequestsPerMinutePerAddress, 'Null: only the limit of the key'),
  Public: z
    .boolean()
    .default(false)
    .describe(
      'The key is visible to everybody, as in a web page. It gets no cursors or explanations unless they are allowed, an Offset of at most ' +
        '1,000, 100 values per facet, 10 searches at once, and 100 hits unless Limit says otherwise. Requires DataSets, and ' +
        'Search as the only scope',
    ),
  ResponseFields: orNull(ResponseFields, 'Null: all. Requires DataSets, and Search as the only scope'),
  Limit: orNull(
    Limit,
    'Null: 100 for a public key, otherwise as many as the call allows. Requires Search as the only scope',
  ),
  Origins: orNull(Origins, 'Null: any'),
  AllowCursor: z
    .boolean()
    .default(false)
    .describe('Lets a public key, or keys signed with this one, ask for cursors. Other keys always may'),
  AllowExplain: z
    .boolean()
    .default(false)
    .describe('Lets a public key ask for explanations. Not allowed with Filter or ResponseFields'),
  CanSign: z
    .boolean()
    .default(false)
    .describe(
      'Whether short-lived keys that may do less can be signed with this one. The server then stores what it needs to check them',
    ),
})
type Input = z.output<typeof input>

/** Rules that involve several members: the check, the member to blame, and what is accepted. */
const rules: readonly [breaks: (key: Input) => boolean, member: keyof Input, expected: string][] = [
  [
    ({ Scopes, DataSets, Filter }) => Scopes.includes('Admin') && (DataSets !== null || Filter !== null),
    'Scopes',
    'no Admin with DataSets or Filter, as Admin may create keys without them',
  ],
  [
    ({ Filter, DataSets }) => Filter !== null && DataSets === null,
    'DataSets',
    'the datasets to which the filter applies',
  ],
  [
    ({ Filter, Scopes }) => Filter !== null && (Scopes.includes('Write') || Scopes.includes('Analytics')),
    'Scopes',
    'only Read, Search or both with a Filter',
  ],
  [
    key => (key.Public || key.ResponseFields !== null || key.Limit !== null) && !searchesOnly(key),
    'Scopes',
    'only Search with Public, ResponseFields or Limit',
  ],
  [
    ({ Public, ResponseFields, CanSign, DataSets }) =>
      (Public || ResponseFields !== null || CanSign) && DataSets === null,
    'DataSets',
    'a list of datasets with Public, ResponseFields or CanSign',
  ],
  [
    ({ AllowCursor, Public, CanSign }) => AllowCursor && !Public && !CanSign,
    'AllowCursor',
    'false without Public or CanSign',
  ],
  [({ AllowExplain, Public }) => AllowExplain && !Public, 'AllowExplain', 'false without Public'],
  [
    ({ AllowExplain, Filter, ResponseFields }) =>
      AllowExplain && (Filter !== null || ResponseFields !== null),
    'AllowExplain',
    'false with Filter or ResponseFields',
  ],
  [({ CanSign, Public }) => CanSign && Public, 'CanSign', 'false with Public, as everybody could sign keys'],
  [
    ({ CanSign, Scopes }) => CanSign && !Scopes.includes('Search'),
    'CanSign',
    'false without the scope Search',
  ],
]

const searchesOnly = ({ Scopes }: Input) => Scopes.every(scope => scope === 'Search')

/** The body of a call that creates a key. */
export const KeyInput = input
  .check(({ value, issues }) => {
    for (const [breaks, member, message] of rules) {
      if (breaks(value)) issues.push({ code: 'custom', path: [member], input: value[member], message })
    }
  })
  .meta({ id: 'KeyInput' })

/** The body of a call that exchanges a key. */
export const KeyExchange = z
  .strictObject({
    KeepOldHours: z
      .number()
      .min(0)
      .max(24 * 30)
      .default(24)
      .describe('How many hours the old key remains valid beside the new one. 0: it expires at once'),
  })
  .meta({ id: 'KeyExchange' })

const members = {
  Id: z.guid(),
  Name: z.string(),
  Scopes: z.array(Scope),
  DataSets: z.array(z.string()).nullable(),
  Filter: z.string().nullable(),
  Expires: z.string().nullable(),
  Created: z.string(),
  RequestsPerMinute: z.int().nullable(),
  RequestsPerMinutePerAddress: z.int().nullable(),
  Public: z.boolean(),
  ResponseFields: z.array(z.string()).nullable(),
  Limit: z.int().nullable(),
  Origins: z.array(z.string()).nullable(),
  AllowCursor: z.boolean(),
  AllowExplain: z.boolean(),
  CanSign: z.boolean(),
  PreviousUntil: z
    .string()
    .nullable()
    .describe('When the key that this one replaced expires. Null: there is none'),
}

export const Key = z.object(members).meta({ id: 'Key' })

export const NewKey = z
  .object({
    ...members,
    Key: z.string().describe('The key itself. It is shown only this once; only a hash of it is stored'),
  })
  .meta({ id: 'NewKey' })

const unique = (list: readonly string[] | null) => list && [...new Set(list)]

export function keyInput(given: z.output<typeof KeyInput>): NamedKeyInput {
  return {
    name: given.Name,
    scopes: [...new Set(given.Scopes)],
    datasets: unique(given.DataSets),
    filter: given.Filter,
    expiresAt: given.Expires === null ? null : Date.parse(given.Expires),
    requestsPerMinute: given.RequestsPerMinute,
    requestsPerMinutePerAddress: given.RequestsPerMinutePerAddress,
    isPublic: given.Public,
    responseFields: unique(given.ResponseFields),
    limit: given.Limit,
    origins: unique(given.Origins),
    allowCursor: given.AllowCursor,
    allowExplain: given.AllowExplain,
    canSign: given.CanSign,
  }
}

const timeOf = (time: number | null) => (time === null ? null : new Date(time).toISOString())

export function keyModel(about: NamedKey): z.output<typeof Key> {
  return {
    Id: about.id,
    Name: about.name,
    Scopes: about.scopes,
    DataSets: about.datasets,
    Filter: about.filter,
    Expires: timeOf(about.expiresAt),
    Created: new Date(about.createdAt).toISOString(),
    RequestsPerMinute: about.requestsPerMinute,
    RequestsPerMinutePerAddress: about.requestsPerMinutePerAddress,
    Public: about.isPublic,
    ResponseFields: about.responseFields,
    Limit: about.limit,
    Origins: about.origins,
    AllowCursor: about.allowCursor,
    AllowExplain: about.allowExplain,
    CanSign: about.canSign,
    PreviousUntil: timeOf(about.previousUntil),
  }
}
