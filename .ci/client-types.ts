/** Writes what the client knows of the API: models and operations, of the OpenAPI document and the table of scopes. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import {
  createApp,
  createSetup,
  createUpdater,
  openAccess,
  openLicence,
  readConfig,
} from '../adapters/http/src/index.ts'
import { ruleOf } from '../adapters/http/src/request/rules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'adapters/client/src/api')

/** What is used here of JSON Schema: the models are made of nothing else. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema | false
  readonly prefixItems?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
  readonly default?: unknown
}

interface Parameter {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly schema?: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

export interface DocumentedOperation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** The document of an installation that has everything, an update included. */
export async function openApiDocument(): Promise<OpenApiDocument> {
  const engine = await Engine.open()
  const access = await openAccess(engine, { schemes: ['Findling'] })
  const licence = await openLicence(engine)
  const config = readConfig({ FINDLING_FILES_FOLDER: join(tmpdir(), 'findling-no-files') })
  const setup = createSetup({ access, licence })
  await access.makeProvisional()
  const app = createApp({ engine, config, access, setup, licence, updater: createUpdater([]) })
  try {
    const response = await app.fetch(new Request('http://localhost/openapi.json'))
    return (await response.json()) as OpenApiDocument // what the server says it is, which its tests check
  } finally {
    await app.close()
    await engine.close()
  }
}

/** Pages that people look at; programs have no use for them. */
export const pages = [
  'getSetup',
  'postSetup',
  'postSetupRequestOpenSourceLicense',
  'getDocs',
  'getDocsByFile',
]

export interface NamedOperation {
  readonly method: string
  readonly path: string
  readonly operation: DocumentedOperation
}

export function operationsOf(document: OpenApiDocument): NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
      .filter(({ operation }) => !pages.includes(operation.operationId)),
  )
}

/** They change something, but twice is once: the same rows and the same tags are there afterwards. */
const repeatableWrites = ['postDocumentsBulk', 'postTagsBulk', 'postTagsCleanDocuments']
/** What is asked twice answers with the next page. */
const movesOn = ['postDocumentsFilterByScrollId']

/** Whether a call may be sent again when nobody knows what became of it. */
function isRepeatable({ method, path, operation }: NamedOperation): boolean {
  const { operationId, responses } = operation
  if (method !== 'POST') return true
  if (repeatableWrites.includes(operationId)) return true
  const { scopes } = ruleOf({ method, path })
  const onlyReads = scopes.length > 0 && scopes.every(scope => scope === 'Read' || scope === 'Search')
  return onlyReads && '200' in responses && !movesOn.includes(operationId)
}

/** The first letter alone: the names are those of the engine's options. */
const camel = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)
const componentOf = (reference: string): string => reference.split('/').at(-1)!
const typesOf = ({ type = [] }: Schema): readonly string[] => (typeof type === 'string' ? [type] : type)
const isObject = (schema: Schema): boolean => typesOf(schema).includes('object')
/** Whatever a user has put there: no name in it is one of the API. */
const isRaw = (schema: Schema): boolean =>
  !schema.$ref &&
  !schema.anyOf &&
  !schema.enum &&
  schema.const === undefined &&
  (schema.type === undefined ||
    (isObject(schema) && !schema.properties && typeof schema.additionalProperties !== 'object'))
/** Members that hold documents of the dataset. */
const documentMembers = ['Document', 'Documents', 'Items']

/** How names are changed below a value: `0` not at all, `*` for members that a user has named. */
type Form = 0 | { readonly [member: string]: Form } | string

/** Where a schema stands: below which member, sent or not, and what a document is called there. */
interface At {
  readonly isSent: boolean
  readonly document: 'T' | 'JsonObject' | 'object'
  readonly name?: string
}

const sent: At = { isSent: true, document: 'object' }
const given: At = { isSent: false, document: 'JsonObject' }

class Generator {
  readonly #schemas: Readonly<Record<string, Schema>>
  readonly #sent: ReadonlySet<string>
  readonly #generic = new Map<string, boolean>()
  readonly #forms = new Map<string, Form | undefined>()

  constructor(readonly document: OpenApiDocument) {
    this.#schemas = document.components.schemas
    this.#sent = this.#reached(operationsOf(document).flatMap(({ operation }) => bodiesOf(operation)))
  }

  models(): string {
    const reached = this.#reached(
      operationsOf(this.document).flatMap(({ operation }) => [
        ...bodiesOf(operation),
        ...answersOf(operation),
      ]),
    )
    const models = [...reached].sort().map(name => {
      const schema = this.#schemas[name]!
      const parameters = this.#isGeneric(name) ? '<T extends object = JsonObject>' : ''
      const at: At = { isSent: this.#sent.has(name), document: 'T' }
      const code = schema.properties
        ? `export interface ${name}${parameters} ${this.#members(schema, at)}`
        : `export type ${name}${parameters} = ${this.#type(schema, at)}`
      return commented(schema.description, code)
    })
    return [
      generated,
      'What the API takes and gives, under the names of the client. `T` is a document.',
      'export type JsonObject = { [member: string]: unknown }',
      ...models,
    ]
      .map((part, at) => (at === 1 ? `/** ${part} */` : part))
      .join('\n\n')
  }

  operations(): string {
    const lines = operationsOf(this.document).map(one => this.#operation(one))
    const forms = [...this.#forms]
      .filter((entry): entry is [string, Form] => entry[1] !== undefined)
      .map(([name, form]) => `const form${name} = ${written(form)} as const`)
    const code = lines.join('\n').replaceAll(/'[^']*'|\/\*.*\*\//g, '')
    const imported = [...new Set(code.match(/\b[A-Z]\w+(?!\w|\??:)/g) ?? [])]
      .filter(name => name in this.#schemas || name === 'JsonObject')
      .sort()
    return [
      generated,
      `import type { Operation, Sendable } from '../operation.ts'\nimport type { ${imported.join(', ')} } from './models.ts'`,
      ...forms,
      ...lines,
    ].join('\n\n')
  }

  #operation(one: NamedOperation): string {
    const { method, path, operation } = one
    const body = bodyOf(operation)
    const answer = answerOf(operation)
    const sends = body && this.#form(body)
    const gives = typeof answer === 'object' ? this.#form(answer) : answer && `'${answer}'`
    const members = [
      `method: '${method}'`,
      `path: '${path}'`,
      ...(isRepeatable(one) ? ['repeatable: true'] : []),
      ...(sends === undefined ? [] : [`sends: ${written(sends)}`]),
      ...(gives === undefined ? [] : [`gives: ${written(gives)}`]),
    ]
    const type = `Operation<${this.#parts(one)}, ${this.#answerType(answer)}>`
    return commented(
      operation.summary,
      `export const ${operation.operationId}: ${type} = { ${members.join(', ')} }`,
    )
  }

  #parts({ operation }: NamedOperation): string {
    const { parameters, requestBody } = operation
    const of = (place: string) => parameters.filter(parameter => parameter.in === place)
    const path = of('path').map(({ name }) => `${name}: string`)
    const query = of('query').map(({ name, required, schema }) => {
      return `${name!.charAt(0).toLowerCase()}${name!.slice(1)}${required ? '' : '?'}: ${this.#queryType(schema!)}${required ? '' : ' | undefined'}`
    })
    const allOptional = of('query').every(({ required }) => !required)
    const dataset = parameters.some(({ $ref, name }) => $ref?.endsWith('/DataSet') || name === 'X-DataSet')
    const body = bodyOf(operation)
    const streamed = requestBody && !body
    const members = [
      ...(path.length > 0 ? [`path: { ${path.join('; ')} }`] : []),
      ...(query.length > 0 ? [`query${allOptional ? '?' : ''}: { ${query.join('; ')} }`] : []),
      ...(dataset ? ['dataset: string | undefined'] : []),
      ...(body ? [`body${requestBody?.required ? '' : '?'}: ${this.#bodyType(body)}`] : []),
      ...(streamed ? ['stream: Sendable', 'type: string'] : []),
    ]
    return members.length === 0 ? 'object' : `{ ${members.join('; ')} }`
  }

  /** What is text in an address. */
  #queryType(schema: Schema): string {
    if (schema.enum?.join() === 'true,false') return 'boolean'
    return this.#type(schema, sent)
  }

  /** The whole body is a document. */
  #bodyType(body: Schema): string {
    return isRaw(body) ? 'object' : this.#type(body, sent)
  }

  #answerType(answer: ReturnType<typeof answerOf>): string {
    if (answer === undefined) return 'undefined'
    if (answer === 'text') return 'string'
    if (answer === 'stream') return 'ReadableStream<Uint8Array>'
    return isRaw(answer) ? 'JsonObject' : this.#type(answer, given)
  }

  #members(schema: Schema, { isSent, document }: At): string {
    const required = schema.required ?? []
    const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
      const isOptional = !required.includes(name)
      const type = this.#type(member, { isSent, document, name })
      // Who sends may name what is undefined, which is not written.
      const line = `${quoted(camel(name))}${isOptional ? '?' : ''}: ${type}${isOptional && isSent ? ' | undefined' : ''}`
      return commented(describedWith(member), line)
    })
    return `{\n${members.join('\n')}\n}`
  }

  #type(schema: Schema, at: At): string {
    const { name = '', document } = at
    if (schema.$ref) {
      const component = componentOf(schema.$ref)
      return document !== 'JsonObject' && this.#isGeneric(component) ? `${component}<${document}>` : component
    }
    if (schema.anyOf) return unique(schema.anyOf.map(one => this.#type(one, at)))
    if (schema.enum) return unique(schema.enum.map(literal))
    if (schema.const !== undefined) return literal(schema.const)
    if (isRaw(schema)) {
      const type = documentMembers.includes(name) ? document : isObject(schema) ? 'JsonObject' : 'unknown'
      return type + (typesOf(schema).includes('null') ? ' | null' : '')
    }
    return unique(typesOf(schema).map(type => this.#typeOf(type, schema, at)))
  }

  #typeOf(type: string, schema: Schema, at: At): string {
    switch (type) {
      case 'integer':
        return 'number'
      case 'array': {
        if (schema.prefixItems) return `[${schema.prefixItems.map(item => this.#type(item, at)).join(', ')}]`
        const item = this.#type(schema.items || {}, at)
        const list = /^[\w<>]+$/.test(item) ? `${item}[]` : `(${item})[]`
        return at.isSent ? `readonly ${list}` : list
      }
      case 'object': {
        if (schema.properties) return this.#members(schema, at)
        return `{ [name: string]: ${this.#type(schema.additionalProperties as Schema, at)} }`
      }
      default:
        return type
    }
  }

  #isGeneric(component: string): boolean {
    const known = this.#generic.get(component)
    if (known !== undefined) return known
    this.#generic.set(component, false)
    const holds = (schema: Schema, name: string): boolean =>
      schema.$ref
        ? this.#isGeneric(componentOf(schema.$ref))
        : (isRaw(schema) && documentMembers.includes(name)) ||
          partsOf(schema, name).some(([one, part]) => holds(part, one))
    const is = holds(this.#schemas[component]!, '')
    this.#generic.set(component, is)
    return is
  }

  /** Undefined where all names below are those of the API. */
  #form(schema: Schema): Form | undefined {
    if (schema.$ref) {
      const name = componentOf(schema.$ref)
      if (!this.#forms.has(name)) {
        this.#forms.set(name, undefined)
        const form = this.#form(this.#schemas[name]!)
        // Again, to stand behind what it is made of.
        this.#forms.delete(name)
        this.#forms.set(name, form)
      }
      return this.#forms.get(name) === undefined ? undefined : `form${name}`
    }
    if (isRaw(schema)) return 0
    if (schema.anyOf) {
      const forms = schema.anyOf.map(one => this.#form(one)).filter(form => form !== undefined)
      if (forms.length > 1)
        throw new Error(`More than one of these holds names of users: ${JSON.stringify(schema)}`)
      return forms[0]
    }
    if (schema.items) return this.#form(schema.items)
    const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]): [string, Form][] => {
      const form = this.#form(member)
      return form === undefined ? [] : [[name, form]]
    })
    if (typeof schema.additionalProperties === 'object') {
      // The form of what names nothing has no members.
      members.push(['*', this.#form(schema.additionalProperties) ?? {}])
    }
    return members.length === 0 ? undefined : Object.fromEntries(members)
  }

  #reached(schemas: readonly Schema[]): Set<string> {
    const names = new Set<string>()
    const visit = (schema: Schema) => {
      if (schema.$ref) {
        const name = componentOf(schema.$ref)
        if (names.has(name)) return
        names.add(name)
        visit(this.#schemas[name]!)
      }
      for (const [, part] of partsOf(schema, '')) visit(part)
    }
    schemas.forEach(visit)
    return names
  }
}

function partsOf(schema: Schema, name: string): [name: string, part: Schema][] {
  return [
    ...Object.entries(schema.properties ?? {}),
    ...(schema.anyOf ?? []).map((one): [string, Schema] => [name, one]),
    ...(schema.prefixItems ?? []).map((one): [string, Schema] => [name, one]),
    ...(schema.items ? [[name, schema.items] as [string, Schema]] : []),
    ...(typeof schema.additionalProperties === 'object'
      ? [['', schema.additionalProperties] as [string, Schema]]
      : []),
  ]
}

const bodyOf = ({ requestBody }: DocumentedOperation): Schema | undefined =>
  Object.keys(requestBody?.content ?? {}).length === 1
    ? requestBody?.content['application/json']?.schema
    : undefined

/** The answer of a call that succeeds: there is one of these. */
function answerOf({ responses }: DocumentedOperation): Schema | 'text' | 'stream' | undefined {
  const [content] = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([, response]) => response.content)
  const types = Object.keys(content ?? {})
  if (types.length === 0) return undefined
  if (types.length > 1) return 'stream'
  return types[0] === 'application/json' ? content![types[0]]!.schema : 'text'
}

const bodiesOf = (operation: DocumentedOperation): Schema[] =>
  [bodyOf(operation)].filter(body => body !== undefined)

function answersOf(operation: DocumentedOperation): Schema[] {
  const answer = answerOf(operation)
  return typeof answer === 'object' ? [answer] : []
}

const generated = '// Generated by `npm run client-types` from the OpenAPI document of the server.'
const literal = (value: unknown): string => JSON.stringify(value)
const unique = (types: readonly string[]): string =>
  [...new Set(types.filter(type => type !== 'never'))].join(' | ') || 'never'
const quoted = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name))

function describedWith({ description, default: standard }: Schema): string | undefined {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof standard) && standard !== ''
  const said = isPlain ? `Default ${JSON.stringify(standard)}` : ''
  return [description, said].filter(Boolean).join('. ') || undefined
}

function commented(text: string | undefined, code: string): string {
  return text ? `/** ${text.replaceAll('*/', '* /')} */\n${code}` : code
}

function written(form: Form): string {
  if (typeof form !== 'object') return String(form)
  return `{ ${Object.entries(form)
    .map(([name, part]) => `${quoted(name)}: ${written(part)}`)
    .join(', ')} }`
}

/** As all files of this repository are. */
async function formatted(path: string, code: string): Promise<string> {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  return await new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [biome, 'format', `--stdin-file-path=${path}`],
      { cwd: root, maxBuffer: 2 ** 24 },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    )
    child.stdin!.end(code)
  })
}

/** What each file has to hold, by its path. */
export async function clientTypes(document: OpenApiDocument): Promise<Map<string, string>> {
  const generator = new Generator(document)
  const files = [
    ['models.ts', generator.models()],
    ['operations.ts', generator.operations()],
  ] as const
  const entries = files.map(async ([name, code]): Promise<[string, string]> => {
    const path = join(folder, name)
    return [path, await formatted(path, code)]
  })
  return new Map(await Promise.all(entries))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, code] of await clientTypes(await openApiDocument())) await writeFile(path, code)
}
