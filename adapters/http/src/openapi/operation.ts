import { isTimed } from '../answer/elapsed.ts'
import { needsKey, needsSecret } from '../request/credentials.ts'
import { neededScopes, ruleOf } from '../request/rules.ts'
import type { Route, RouteResponse } from '../route.ts'
import type { JsonSchema, Schemas } from './schemas.ts'

/** Parts that the document holds once and operations refer to. */
export interface Shared {
  readonly schemas: Schemas
  readonly errors: JsonSchema
}

/**
 * One method of one path.
 * @param path the route's path, perhaps with other names for its members
 */
export async function operationOf(route: Route, path: string, shared: Shared): Promise<object> {
  return {
    operationId: operationId(route.method, path),
    summary: route.extension ? `${route.summary} (extension)` : route.summary,
    tags: [tagOf(route)],
    ...(route.extension && { 'x-extension': true }),
    ...(isOpen(route)
      ? { security: [] }
      : { description: `Needs a key with the scope ${neededScopes(ruleOf(route))}.` }),
    parameters: [
      ...pathParameters(route, path, shared),
      ...queryParameters(route, shared),
      ...headerParameters(route),
    ],
    ...(await requestBody(route, shared)),
    responses: responsesOf(route, shared),
  }
}

/** `getTagsById`: unique, because each pair of method and path is. */
function operationId(method: string, path: string): string {
  const words = path.split('/').filter(part => part !== '' && part !== 'api')
  const names = words.map(part =>
    part.startsWith('{') ? `By${capitalized(part.slice(1, -1))}` : capitalized(part),
  )
  return method.toLowerCase() + (names.join('').replace(/\W/g, '') || 'Root')
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function tagOf({ path }: Route): string {
  return /^\/api\/([^/]+)/.exec(path)?.[1] ?? 'Installation'
}

const isKeyed = ({ path }: Route) => needsKey(path.toLowerCase())
const isOpen = (route: Route) => !isKeyed(route)

function pathParameters({ members, example, ...route }: Route, path: string, { schemas }: Shared): object[] {
  const ownNames = memberNames(route.path)
  const known = propertiesOf(members, schemas)
  return memberNames(path).map((name, at) => {
    const own = ownNames[at]!
    const { description, ...schema } = known[own] ?? { type: 'string' }
    const value = example?.path?.[own]
    return {
      name,
      in: 'path',
      required: true,
      ...(description !== undefined && { description }),
      schema,
      ...(value !== undefined && { example: value }),
    }
  })
}

function memberNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!)
}

function queryParameters({ query, example }: Route, { schemas }: Shared): object[] {
  if (!query) return []
  const { required = [] } = schemas.of(query, 'input')
  const needed = required as readonly string[] // as JSON Schema has it
  return Object.entries(propertiesOf(query, schemas)).map(([name, { description, ...schema }]) => {
    const value = example?.query?.[name]
    return {
      name,
      in: 'query',
      required: needed.includes(name),
      ...(description !== undefined && { description }),
      schema,
      ...(value !== undefined && { example: value }),
    }
  })
}

function propertiesOf(model: Route['members'], schemas: Schemas): Record<string, JsonSchema> {
  const { properties = {} } = model ? schemas.of(model, 'input') : {}
  return properties as Record<string, JsonSchema> // as JSON Schema has it
}

function headerParameters(route: Route): object[] {
  const names = isKeyed(route) ? ['ParallelLimit', 'SdkVersion'] : []
  const common = names.map(name => ({ $ref: `#/components/parameters/${name}` }))
  return route.dataset ? [dataSetParameter(route), ...common] : common
}

function dataSetParameter({ example }: Route): object {
  const usual = { $ref: '#/components/parameters/DataSet' }
  return example?.dataset === undefined ? usual : { ...dataSetHeader, example: example.dataset }
}

async function requestBody(
  { body, bodyOptional, stream, form, example }: Route,
  { schemas }: Shared,
): Promise<object> {
  if (stream) return { requestBody: { required: true, content: streamContent(stream, example?.body) } }
  if (form) {
    const content = { 'application/x-www-form-urlencoded': { schema: schemas.of(form, 'input') } }
    return { requestBody: { content } }
  }
  if (!body) return {}
  const value: unknown = typeof example?.body === 'function' ? await example.body() : example?.body
  const content = {
    'application/json': {
      schema: schemas.of(body, 'input'),
      ...(value !== undefined && { example: value }),
    },
  }
  return { requestBody: { required: !bodyOptional, content } }
}

function streamContent(types: readonly string[], rows: unknown): object {
  const examples = new Map(Object.entries(rows ?? {}))
  return Object.fromEntries(
    types.map(type => {
      const example = examples.get(type)
      return [type, { schema: streamed(type), ...(example !== undefined && { example }) }]
    }),
  )
}

/** JSON may hold anything; whatever else is streamed is text or bytes. */
const streamed = (type: string): JsonSchema => (type === 'application/json' ? {} : { type: 'string' })

function responsesOf(route: Route, { schemas, errors }: Shared): Record<string, object> {
  const own = Object.entries(route.responses).map(([status, response]): [string, object] => {
    const schema = response.body ? schemas.of(response.body, 'output') : undefined
    const headers = headersOf(Number(status), isTimed(route.path.toLowerCase()))
    return [status, describedResponse(Number(status), { response, headers, schema, errors })]
  })
  const shared = commonOf(route).map(status => [status, { $ref: `#/components/responses/${status}` }])
  return { ...Object.fromEntries(shared), ...Object.fromEntries(own) }
}

interface Described {
  readonly response: RouteResponse
  readonly headers: object
  readonly schema: JsonSchema | undefined
  readonly errors: JsonSchema
}

function describedResponse(status: number, { response, headers, schema, errors }: Described): object {
  const body = schema ?? (status >= 400 ? errors : undefined)
  return {
    description: response.when,
    headers,
    ...contentOf(response, body),
  }
}

function contentOf({ types }: RouteResponse, schema: JsonSchema | undefined): object {
  if (types) {
    return { content: Object.fromEntries(types.map(type => [type, { schema: streamed(type) }])) }
  }
  return schema ? { content: { 'application/json': { schema } } } : {}
}

function headersOf(status: number, isPathTimed = true): object {
  const every = {
    'X-Api-Version': { $ref: '#/components/headers/ApiVersion' },
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  }
  // Requests refused before they pass authentication are not timed.
  const hasPassed = ![401, 412, 413, 429].includes(status)
  return hasPassed && isPathTimed
    ? { ...every, 'X-ElapsedTime': { $ref: '#/components/headers/ElapsedTime' } }
    : every
}

/** Answers of the stages before every route (contract, 1.2): the status, when it is given, and for which routes. */
const common: readonly [status: number, when: string, where: (route: Route) => boolean][] = [
  [400, 'The request is invalid, or needs X-DataSet and the header does not name a dataset', isKeyed],
  [401, 'The secret or key is missing or wrong', isKeyed],
  [403, 'The key may not make this call', isKeyed],
  [412, 'No secret is set yet', ({ path }) => needsSecret(path.toLowerCase())],
  [413, 'The body is larger than allowed', takesBody],
  [415, 'The content type is not supported by this call', ({ body, stream }) => Boolean(body ?? stream)],
  [429, 'The key has made too many calls: Retry-After says when to try again', isKeyed],
  [500, 'The server failed; the request is not the cause', () => true],
  [501, 'The body has a transfer coding other than chunked', takesBody],
  [
    503,
    'The server is too busy or stopping, or the answer took too long: Retry-After says when to try again',
    isKeyed,
  ],
  [507, 'The disk is nearly full', ({ writes }) => writes === true],
]

function takesBody({ body, stream, form }: Route): boolean {
  return Boolean(body ?? stream ?? form)
}

function commonOf(route: Route): number[] {
  return common.filter(([, , where]) => where(route)).map(([status]) => status)
}

/** The answers common to many calls, by status. */
export function commonResponses(errors: JsonSchema): Record<string, object> {
  return Object.fromEntries(
    common.map(([status, when]) => [
      status,
      describedResponse(status, {
        response: { when },
        headers: headersOf(status),
        schema: undefined,
        errors,
      }),
    ]),
  )
}

export const dataSetHeader = {
  name: 'X-DataSet',
  in: 'header',
  required: false,
  description:
    'Name of the dataset. It may be left out only with a key for a single dataset, which is then used',
  schema: { type: 'string' },
}
