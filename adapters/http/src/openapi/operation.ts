import type { Route, RouteResponse } from '../route.ts'
import type { JsonSchema, Schemas } from './schemas.ts'

/** One method of one path. */
export function operationOf(route: Route, schemas: Schemas, errors: JsonSchema): object {
  const isOpen = !needsKey(route)
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [tagOf(route)],
    ...(route.extension && { 'x-extension': true }),
    ...(isOpen && { security: [] }),
    parameters: [
      ...pathParameters(route, schemas),
      ...queryParameters(route, schemas),
      ...headerParameters(route),
    ],
    ...requestBody(route, schemas),
    responses: responsesOf(route, schemas, errors),
  }
}

/** `getTagsById`: unique, as a method of a path is. */
function operationId({ method, path }: Route): string {
  const words = path.split('/').filter(part => part !== '' && part !== 'api')
  const names = words.map(part =>
    part.startsWith('{') ? `By${capitalized(part.slice(1, -1))}` : capitalized(part),
  )
  return method.toLowerCase() + names.join('').replace(/\W/g, '')
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function tagOf({ path }: Route): string {
  return /^\/api\/([^/]+)/.exec(path)?.[1] ?? 'Installation'
}

function needsKey({ path }: Route): boolean {
  return path.startsWith('/api/') || path === '/update'
}

function pathParameters({ path, members }: Route, schemas: Schemas): object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!)
  const { properties = {} } = members ? schemas.of(members, 'input') : {}
  const known = properties as Record<string, JsonSchema> // as JSON Schema has it
  return names.map(name => ({
    name,
    in: 'path',
    required: true,
    schema: known[name] ?? { type: 'string' },
  }))
}

function queryParameters({ query }: Route, schemas: Schemas): object[] {
  if (!query) return []
  const { properties = {}, required = [] } = schemas.of(query, 'input')
  const needed = required as readonly string[] // as JSON Schema has it
  return Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: needed.includes(name),
      ...(description !== undefined && { description }),
      schema,
    }),
  )
}

function headerParameters(route: Route): object[] {
  const names = needsKey(route) ? ['ParallelLimit', 'SdkVersion'] : []
  if (route.dataset) names.unshift('DataSet')
  return names.map(name => ({ $ref: `#/components/parameters/${name}` }))
}

function requestBody({ body, bodyOptional, stream }: Route, schemas: Schemas): object {
  if (stream) {
    return { requestBody: { required: true, content: Object.fromEntries(stream.map(type => [type, {}])) } }
  }
  if (!body) return {}
  const content = { 'application/json': { schema: schemas.of(body, 'input') } }
  return { requestBody: { required: !bodyOptional, content } }
}

function responsesOf(route: Route, schemas: Schemas, errors: JsonSchema): Record<string, object> {
  const all = { ...usualResponses(route), ...route.responses }
  const responses = Object.entries(all).map(([status, response]): [string, object] => {
    const schema = response.body ? schemas.of(response.body, 'output') : errorBody(Number(status), errors)
    return [
      status,
      {
        description: response.when,
        headers: headersOf(Number(status)),
        ...contentOf(response, schema),
      },
    ]
  })
  return Object.fromEntries(responses)
}

function contentOf({ types }: RouteResponse, schema: JsonSchema | undefined): object {
  if (types) return { content: Object.fromEntries(types.map(type => [type, {}])) }
  return schema ? { content: { 'application/json': { schema } } } : {}
}

function errorBody(status: number, errors: JsonSchema): JsonSchema | undefined {
  return status >= 400 && status !== 401 ? errors : undefined
}

function headersOf(status: number): object {
  const version = { 'X-Api-Version': { $ref: '#/components/headers/ApiVersion' } }
  // What was refused before it passed authentication is not timed.
  const isTimed = ![401, 412, 413].includes(status)
  return isTimed ? { ...version, 'X-ElapsedTime': { $ref: '#/components/headers/ElapsedTime' } } : version
}

/** What the stages in front of every route answer (contract, 1.2). */
function usualResponses(route: Route): Record<number, RouteResponse> {
  const takesBody = route.body !== undefined || route.stream !== undefined
  return {
    ...(needsKey(route) && {
      400: {
        when: route.dataset
          ? 'The request breaks a rule, or X-DataSet names no dataset'
          : 'The request breaks a rule',
      },
      401: { when: 'The key is missing or wrong' },
      412: { when: 'No secret is set yet' },
    }),
    ...(takesBody && { 413: { when: 'The body is larger than allowed' } }),
    ...(takesBody && { 415: { when: 'The content type is none that is read here' } }),
    500: { when: 'Something failed that the request is no cause of' },
    ...(needsKey(route) && { 503: { when: 'Too busy, or stopping: Retry-After says when to come again' } }),
    ...(route.writes && { 507: { when: 'The disk is nearly full' } }),
  }
}
