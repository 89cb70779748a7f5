import type { Service, ServiceChanges, ServiceInfo, ServiceInput, ServiceTypeName } from 'findling'
import * as z from 'zod'
import { pascal } from './casing.ts'
import { requiredText } from './rules.ts'

/** The engine's service types by wire name, in the order of the contract, because clients may send their ordinal numbers. */
const types = { Classifier: 'classifier', Prc: 'similar', Search: 'search' } as const satisfies Record<
  string,
  ServiceTypeName
>
const wireTypes = new Map<string, WireType>(
  Object.entries(types).map(([wire, type]) => [type, wire as WireType]),
)
type WireType = keyof typeof types
const typeNames = Object.keys(types) as [WireType, ...WireType[]] // `Object.keys` widens them

/** For all types: bodies of Prepare. */
export const again = z
  .boolean()
  .optional()
  .describe(
    'True: prepares a service again that is prepared or active, from the same dataset; the old model answers until the new one replaces it',
  )
  .meta({ 'x-extension': true })

const statuses = ['New', 'Busy', 'Prepared', 'Active'] as const

const optionalText = z.string().nullable().optional()

/** Contract, 7.1. */
export const ServiceModel = z
  .object({
    Id: z.guid(),
    Name: z.string(),
    Alias: z.string().nullable().describe('Another name, which can be used instead of the id in every path'),
    Description: z.string().nullable(),
    Status: z.enum(statuses),
    Type: z.enum(typeNames),
    ProcessIdList: z.array(z.string()).describe('Ids of all processes of the service, oldest first'),
    ActualProcessId: z.string().nullable().describe('Id of the running process'),
  })
  .meta({ id: 'Service' })

export const ServiceCreation = z
  .object({
    Id: optionalText.describe('Must be left out: the server assigns it'),
    Name: requiredText.max(200),
    Alias: optionalText.describe('A service that already has this alias loses it'),
    Description: optionalText,
    Type: z.enum(typeNames),
  })
  .meta({ id: 'ServiceCreation' })

export const ServiceUpdate = z
  .object({
    Name: requiredText.max(200),
    Alias: optionalText.describe('Empty: unchanged. A service that already has this alias loses it'),
    Description: optionalText.describe('Empty: unchanged'),
  })
  .meta({ id: 'ServiceUpdate' })

export function serviceModel(service: Service): z.output<typeof ServiceModel> {
  return commonModel(service.info())
}

export function commonModel(info: ServiceInfo): z.output<typeof ServiceModel> {
  const { id, name, alias, description, status, type, jobs, runningJob } = info
  return {
    Id: id,
    Name: name,
    Alias: alias,
    Description: description,
    Status: pascal(status),
    Type: wireTypes.get(type)!, // the engine has no other types
    ProcessIdList: jobs,
    ActualProcessId: runningJob,
  }
}

export function serviceInput({
  Name,
  Alias,
  Description,
  Type,
}: z.output<typeof ServiceCreation>): ServiceInput {
  return { type: types[Type], name: Name, alias: Alias || null, description: Description || null }
}

/** Empty members count as not given. */
export function serviceChanges({ Name, Alias, Description }: z.output<typeof ServiceUpdate>): ServiceChanges {
  return { name: Name, ...(Alias && { alias: Alias }), ...(Description && { description: Description }) }
}
