import * as z from 'zod'
import { FindlingError } from '../../errors.ts'
import { fieldPath, invalid, problem } from '../../input.ts'
import { isJsonObject, type JsonObject, type JsonValue, own, toJsonObject } from '../../json.ts'
import { fieldTypes, type SchemaSource } from './schema.ts'
import { readJsonSchema } from './schema-json.ts'

/**
 * The schema of a zod object, by its types: `z.int()` is `long`, `z.number()` `double`; `z.iso.date()` and
 * `z.iso.datetime()` are dates (`z.date()` is refused: stored documents are JSON); unions, records and what else has no type
 * of ours may be anything. What it makes of a document is stored, so these are the types after its transforms. Checks beyond
 * the type (lengths, patterns, enums, presence) are its own. `.meta({ type: 'attachment' })` sets any type of ours.
 */
export function readZod(type: z.ZodObject): SchemaSource {
  return readJsonSchema(jsonSchemaOfZod(type))
}

/** The JSON schema that says the same of the types. */
export function jsonSchemaOfZod(type: z.ZodObject): JsonObject {
  const schema = jsonSchemaOf(type)
  return new Translation(own(schema, '$defs')).field(schema)
}

function jsonSchemaOf(type: z.ZodObject): JsonObject {
  try {
    return toJsonObject(z.toJSONSchema(type, { io: 'output', unrepresentable: 'any', override: refuseDates }))
  } catch (cause) {
    if (cause instanceof FindlingError) throw cause
    throw invalid('INVALID_ARGUMENT', '', [problem('schema', type, 'a zod object with a JSON schema')], cause)
  }
}

const refuseDates: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, path }) => {
  if (zodSchema._zod.def.type !== 'date') return
  const names = path.filter(name => name !== 'properties')
  const expected = 'z.iso.datetime() or z.iso.date(), since a stored document holds dates as text'
  throw invalid('INVALID_ARGUMENT', '', [
    { field: fieldPath(names, 'schema'), received: 'z.date()', expected },
  ])
}

const definitions = '#/$defs/'
const ownTypes = new Set<JsonValue | undefined>(fieldTypes)

/** From JSON schema as zod writes it to one of our types only. */
class Translation {
  readonly #definitions: JsonValue | undefined
  /** References being followed: a type inside itself may be anything there. */
  readonly #open = new Set<string>()

  constructor(definitions: JsonValue | undefined) {
    this.#definitions = definitions
  }

  field(schema: JsonValue | undefined): JsonObject {
    if (!isJsonObject(schema)) return { type: 'any' }
    const reference = own(schema, '$ref')
    if (typeof reference === 'string') return this.#referred(reference)
    const alternatives = own(schema, 'anyOf')
    if (Array.isArray(alternatives)) return this.#onlyOf(alternatives)
    return this.#typed(schema, typeOf(schema))
  }

  #referred(reference: string): JsonObject {
    const name = reference.slice(definitions.length)
    const known = reference.startsWith(definitions) && isJsonObject(this.#definitions)
    if (!known || this.#open.has(name)) return { type: 'any' }
    this.#open.add(name)
    const field = this.field(own(this.#definitions, name))
    this.#open.delete(name)
    return field
  }

  #onlyOf(alternatives: readonly JsonValue[]): JsonObject {
    const [only, ...others] = alternatives.filter(one => !isJsonObject(one) || own(one, 'type') !== 'null')
    return others.length === 0 ? this.field(only) : { type: 'any' }
  }

  #typed(schema: JsonObject, type: JsonValue | undefined): JsonObject {
    if (type === 'array') return this.#list(own(schema, 'items'))
    if (type === 'object') return this.#object(own(schema, 'properties'))
    const format = own(schema, 'format')
    if (type === 'string') return { type: format === 'date' || format === 'date-time' ? 'date' : 'string' }
    if (type === 'integer') return { type: own(schema, 'maximum') === 2 ** 31 - 1 ? 'integer' : 'long' }
    if (type === 'number') return { type: 'double' }
    if (!ownTypes.has(type)) return { type: 'any' }
    return type === 'date' && format !== undefined ? { type, format } : { type: type ?? 'any' }
  }

  #list(items: JsonValue | undefined): JsonObject {
    return isJsonObject(items) ? { type: 'array', items: this.field(items) } : { type: 'any' }
  }

  #object(properties: JsonValue | undefined): JsonObject {
    if (!isJsonObject(properties)) return { type: 'any' }
    const members = Object.keys(properties).map(name => [name, this.field(properties[name])] as const)
    return { type: 'object', properties: Object.fromEntries(members) }
  }
}

function typeOf(schema: JsonObject): JsonValue | undefined {
  const type = own(schema, 'type')
  if (!Array.isArray(type)) return type
  const [only, ...others] = type.filter(one => one !== 'null')
  return others.length === 0 ? only : undefined
}
