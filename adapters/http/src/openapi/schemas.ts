import * as z from 'zod'

export type JsonSchema = { readonly [member: string]: unknown }

/** The form a value has when it is sent to the server, or when it comes from it. */
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
    return renamed(root, references) as JsonSchema // an object stays one
  }

  /**
   * What may be left out of a request is there in an answer: a model used for both has two forms, and the one
   * that comes second says in its name which it is.
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
 * The same schema as people read it: references point to where the document keeps them, extensions are marked in
 * words, and whole numbers have no bounds but those of their model.
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

/** What zod says of each whole number without bounds. */
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
