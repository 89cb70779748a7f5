import { readInput } from 'findling'
import * as z from 'zod'
import { HttpError } from './errors.ts'

/** A body of millions of wrong elements must not be answered by one many times its size. */
const mostListed = 1000

/** Brings a value nearer to what a schema wants; what it cannot help is left for the schema to refuse. */
type Adapt = (value: unknown) => unknown

/**
 * Reads a body or a query by a schema as loosely as the contract asks (1.7, 1.8): member names in any case, of
 * two that differ only in case the last; unknown members ignored, except in strict models; numbers, true and false as text; text as a
 * number; names of enumerations in any case or as their ordinal number; null for an optional member that is
 * no list is the same as leaving it out.
 * @throws HttpError 400 with one text for each problem
 */
export function readBody<S extends z.ZodType>(schema: S, json: unknown): z.output<S> {
  const read = readInput(schema, new Adapters().of(schema)(json), mostListed)
  if (!read.issues) return read.data
  const texts = read.issues.map(
    ({ field, received, expected }) => `${field || 'the body'} is ${received}; expected ${expected}`,
  )
  const more = read.unlisted > 0 ? [`${read.unlisted} more problems are not listed.`] : []
  throw new HttpError(400, [...new Set(texts), ...more]) // what breaks two rules of the same words is told once
}

/** Keeps what it made, so that a schema may lead back to itself. */
class Adapters {
  readonly #made = new Map<z.core.$ZodType, Adapt>()

  of(schema: z.core.$ZodType): Adapt {
    const known = this.#made.get(schema)
    if (known) return known
    let adapt: Adapt | undefined
    this.#made.set(schema, value => adapt!(value)) // called after `make` has returned
    adapt = this.#make(schema)
    this.#made.set(schema, adapt)
    return adapt
  }

  #make(schema: z.core.$ZodType): Adapt {
    // Every schema that zod itself makes is one of these; `type` tells which.
    const { def } = (schema as z.core.$ZodTypes)._zod
    switch (def.type) {
      case 'object':
        return this.#object(def.shape, def.catchall?._zod.def.type === 'never')
      case 'array':
        return this.#list(def.element)
      case 'map':
        return this.#named(def.valueType)
      case 'string':
        return numberToText
      case 'number':
        return textToNumber
      case 'boolean':
        return textToBoolean
      case 'enum':
        return toChoice(Object.values(def.entries))
      case 'union':
        return this.#alternatives(def.options)
      case 'optional':
        return this.#optional(def.innerType)
      case 'nullable':
      case 'default':
      case 'prefault':
      case 'nonoptional':
      case 'readonly':
        return this.of(def.innerType)
      case 'pipe':
        return this.of(def.in._zod.def.type === 'transform' ? def.out : def.in)
      case 'lazy':
        return this.of(def.getter())
      default:
        return asItIs
    }
  }

  /** @param strict unknown members are left for the schema to refuse */
  #object(shape: Readonly<Record<string, z.core.$ZodType>>, strict: boolean): Adapt {
    const members = new Map(
      Object.entries(shape).map(([name, schema]) => [name.toLowerCase(), { name, adapt: this.of(schema) }]),
    )
    return value => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const adapted = Object.entries(value).flatMap(([name, given]): [string, unknown][] => {
        const member = members.get(name.toLowerCase())
        if (member) return [[member.name, member.adapt(given)]]
        return strict ? [[name, given]] : []
      })
      return Object.fromEntries(adapted)
    }
  }

  #list(element: z.core.$ZodType): Adapt {
    const adapt = this.of(element)
    return value => (Array.isArray(value) ? value.map(adapt) : value)
  }

  /** Names of members are the user's: any may come, and each is kept as it is. */
  #named(member: z.core.$ZodType): Adapt {
    const adapt = this.of(member)
    return value => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      return Object.fromEntries(Object.entries(value).map(([name, given]) => [name, adapt(given)]))
    }
  }

  #optional(inner: z.core.$ZodType): Adapt {
    const adapt = this.of(inner)
    const keepsNull = inner._zod.def.type === 'array' || z.core.safeParse(inner, null).success
    return value => (value === null && !keepsNull ? undefined : adapt(value))
  }

  /** A text, number or truth value that fits one alternative as it is needs no help. */
  #alternatives(options: readonly z.core.$ZodType[]): Adapt {
    const branches = options.map(schema => ({ schema, adapt: this.of(schema) }))
    return value => {
      const simple = typeof value !== 'object'
      if (simple && branches.some(({ schema }) => z.core.safeParse(schema, value).success)) return value
      for (const { schema, adapt } of branches) {
        const adapted = adapt(value)
        if (z.core.safeParse(schema, adapted).success) return adapted
      }
      return value
    }
  }
}

const asItIs: Adapt = value => value

// A whole number beyond 2^53 has lost digits while it was parsed: as text it would be another one.
const numberToText: Adapt = value =>
  Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value)) ? String(value) : value

const textToNumber: Adapt = value => {
  if (typeof value !== 'string' || value.length > 50 || !/^\s*[-+.\deE]+\s*$/.test(value)) return value
  const number = Number(value)
  return Number.isFinite(number) ? number : value
}

const textToBoolean: Adapt = value => {
  if (typeof value !== 'string' || value.length > 5) return value
  const word = value.toLowerCase()
  return word === 'true' || word === 'false' ? word === 'true' : value
}

function toChoice(choices: readonly (string | number)[]): Adapt {
  const byName = new Map(choices.map(choice => [String(choice).toLowerCase(), choice]))
  return value => {
    if (typeof value === 'string') {
      return (
        byName.get(value.toLowerCase()) ??
        (/^\d{1,3}$/.test(value) ? choices[Number(value)] : undefined) ??
        value
      )
    }
    return typeof value === 'number' ? (choices[value] ?? value) : value
  }
}
