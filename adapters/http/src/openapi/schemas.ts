import * as z from 'zod'

export type JsonSchema = { readonly [member: string]: unknown }

/** Whether a value is sent to the server or comes from it. */
export type Direction = 'input' | 'output'

const inZod = '#/$defs/'
const inDocument = '#/components/schemas/'

/** Turns models into JSON schemas. A model with an id becomes a component that others refer to. */
export class Schemas {
  readonly #components = new Map<string, JsonSchema>()
  /** Names of components, by direction and id. */
  readonly #names = new Map<string, string>()

  get components(): Record<string, JsonSchema> {
    const sorted = [...this.#components].sort(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(sorted)
  }

  of(model: z.ZodType, direction: Direction): JsonSchema {
    const made = z.toJSONSchema(model, { io: direction, unrepresentable: 'any' })
    const { $schema: _, $defs = {}, ...root } = made
    const names = new Map(Object.keys($defs).map(id => [id, this.#nameOf(id, direction)]))
    const references = new Map([...names].map(([id, name]) => [inZod + id, inDocument + name]))
    for (const [id, schema] of Object.entries($defs)) {
      this.#components.set(names.get(id)!, renamed(schema, references) as JsonSchema)
    }
    return renamed(root, references) as JsonSchema // an object remains an object
  }

  /**
   * Members that are optional in a request are present in an answer, so a model used for both has two schemas; the
   * second one added gets `Input` or `Output` appended to its name.
   */
  #nameOf(id: string, direction: Direction): string {
    const key = `${direction} ${id}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const taken = new Set(this.#names.values())
    const name = taken.has(id) ? `${id}${direction === 'input' ? 'Input' : 'Output'}` : id
    this.#names.set(key, name)
    return name
  }
}

/**
 * The schema as the document shows it: references point to the document's components, extensions are marked in their
 * descriptions, and integers have only the bounds of their model.
 */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map(item => renamed(item, names))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
    .filter(([name, member]) => !isBoundOfEveryNumber(name, member))
    .map(([name, member]): [string, unknown] => {
      if (name === '$ref') return [name, names.get(String(member)) ?? member]
      return [name, renamed(member, names)]
    })
  return marked(Object.fromEntries(members))
}

/** The bounds that zod gives every integer without bounds. */
function isBoundOfEveryNumber(name: string, bound: unknown): boolean {
  return (
    (name === 'minimum' && bound === Number.MIN_SAFE_INTEGER) ||
    (name === 'maximum' && bound === Number.MAX_SAFE_INTEGER)
  )
}

function marked(schema: Record<string, unknown>): Record<string, unknown> {
  if (schema['x-extension'] !== true) return schema
  const { description } = schema
  return {
    ...schema,
    description: typeof description === 'string' ? `(extension) ${description}` : '(extension)',
  }
}
