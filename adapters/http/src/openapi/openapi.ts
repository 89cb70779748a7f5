import * as z from 'zod'
import { Stretch } from '../http/stretch.ts'
import { apiVersion } from '../http/version.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { commonResponses, dataSetHeader, operationOf } from './operation.ts'
import { Schemas } from './schemas.ts'

export const ErrorsModel = z
  .object({ Errors: z.array(z.string()).min(1).describe('What is wrong: one text per problem') })
  .meta({ id: 'ErrorsModel' })

export interface Place {
  /** Address of the installation relative to that of the document, which makes it correct behind any proxy. */
  readonly root: string
  /** Absolute address that links in answers begin with, without a slash at the end. */
  readonly base: string
}

/** An OpenAPI document without the addresses of servers. */
export interface PlacelessDocument extends Record<string, unknown> {
  readonly openapi: string
  readonly info: object
}

/** The document for readers at a place. */
export function placed(
  { openapi, info, ...described }: PlacelessDocument,
  { root, base }: Place,
): Record<string, unknown> {
  const servers = [
    { url: root, description: 'The address of this document' },
    { url: base, description: 'The base of links in answers' },
  ]
  return { openapi, info, servers, ...described }
}

/**
 * The OpenAPI 3.1 document of the routes, as it is wherever it is read, made in short stretches.
 * @param about introduction for its readers
 */
export async function describeRoutes(routes: readonly Route[], about: string): Promise<PlacelessDocument> {
  const stretch = new Stretch()
  const schemas = new Schemas()
  const errors = schemas.of(ErrorsModel, 'output')
  const paths = new Map<string, Record<string, object>>()
  const named = new Map<string, string>()
  for (const route of routes) {
    // To OpenAPI, `/{name}` and `/{existingName}` are the same path: the first route determines the names.
    const shape = route.path.replaceAll(/\{[^}]*\}/g, '{}')
    const path = named.get(shape) ?? route.path
    named.set(shape, path)
    const operations = paths.get(path) ?? {}
    operations[route.method.toLowerCase()] = await operationOf(route, path, { schemas, errors })
    paths.set(path, operations)
    if (stretch.isOver) await stretch.pause()
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Findling',
      version: apiVersion,
      description:
        `${about === '' ? '' : `${about}\n\n`}` +
        'Stores product and document data and searches it. Case does not matter in paths, member names ' +
        'and enumeration values. What is marked **(extension)** is not part of 1.5.0.\n\n' +
        'The examples use the sample catalogue, which comes with the repository, not with the packages. If it is loaded, ' +
        'they work from top to bottom: some need what an earlier one has created. Otherwise, replace the names with your own.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ Key: [] }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas.components,
      securitySchemes: { Key: key },
      parameters: {
        DataSet: { ...dataSetHeader, example: sampleDataset },
        ParallelLimit: parallelLimit,
        SdkVersion: sdkVersion,
      },
      responses: commonResponses(errors),
      headers: { ApiVersion: versionHeader, RequestId: requestIdHeader, ElapsedTime: elapsedHeader },
    },
  }
}

const key = {
  type: 'http',
  scheme: 'bearer',
  description:
    'Enter only the secret: this page puts the word Bearer before it. Programs send ' +
    '`Authorization: Findling <secret>`; instead of Findling, they may send Bearer, Service or a word from the configuration. ' +
    'A named key, or a key signed with one (see the README), can be sent instead of the secret.',
}

const parallelLimit = {
  name: 'X-Api-Parallel-Limit',
  in: 'header',
  description:
    'Maximum number of processor cores for Reconfigure and Optimize: one reads, the others (at least one) build the index. ' +
    'No effect on other calls. Anything but a whole number above 0 is ignored',
  schema: { type: 'integer', minimum: 1 },
}

const sdkVersion = {
  name: 'X-Sdk-Version',
  in: 'header',
  description: 'Version of the client; its first two numbers must match those of this API',
  schema: { type: 'string' },
  example: apiVersion,
}

const versionHeader = {
  description: 'Version of this API',
  schema: { type: 'string', const: apiVersion },
}

const requestIdHeader = {
  description:
    'Id of the request, also in the log: the one that was sent if it has 1 to 128 letters, digits, dots, hyphens and underscores, otherwise a new one',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  'x-extension': true,
}

const elapsedHeader = {
  description: 'How long the call took, in whole milliseconds',
  schema: { type: 'integer', minimum: 0 },
}
