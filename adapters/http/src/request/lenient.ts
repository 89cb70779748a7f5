import { type Issue, readInput } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import { isObject } from '../http/objects.ts'
import { Stretch } from '../http/stretch.ts'

/** A body with millions of wrong elements must not cause an answer many times its size, nor be checked to its end. */
const mostFaults = 100

/** Maximum number of unknown members that are reported for one object. */
const mostUnknown = 10

/** Elements of a list that are checked at a time. */
const AT_ONCE = 256

/** Adapts a value to a schema; what it cannot adapt is left for the schema to refuse. */
type Adapt = (value: unknown) => unknown

/**
 * Reads a body or a query by a schema as leniently as the contract requires (1.7, 1.8): member names in any case, the last
 * one counting if two differ only in case; unknown members ignored, except in strict models; numbers, true and false as
 * text; text as a number; enumeration values in any case or as their ordinal number; null for an optional member that is
 * not a list is the same as leaving it out.
 * @throws HttpError 400 with one text for each problem
 */
export function readBody<S extends z.ZodType>(
  schema: S,
  json: unknown,
  adapters = new Adapters(),
): z.output<S> {
  const read = readInput(schema, adapters.of(schema)(json), mostFaults)
  if (read.issues) throw refusal(read.issues, read.unlisted + adapters.dropped)
  return read.data
}

/** Like `readBody`, but reads large objects, and the elements of long lists in members, in short stretches. */
export async function readLargeBody<S extends z.ZodType>(schema: S, json: unknown): Promise<z.output<S>> {
  const reading = { adapters: new Adapters(), stretch: new Stretch() }
  const object = await withFewUnknown(schema, json, reading)
  const lists = longLists(schema, object)
  if (lists.length === 0) return readBody(schema, object, reading.adapters)
  const members = Object.entries(object as object).filter(
    ([name]) => !lists.some(list => isSame(name, list.name)),
  )
  for (const { name, array, list } of lists) {
    members.push([name, await elementsOf(name, array.element as z.ZodType, list, reading)])
  }
  const read = readBody(withReadLists(schema, lists), Object.fromEntries(members), reading.adapters)
  // What the caller does with the body next takes about as long.
  await reading.stretch.pause()
  return read
}

interface Reading {
  readonly adapters: Adapters
  readonly stretch: Stretch
}

/** Drops all but the model's members and the first few others if there are very many, as adapters process all at once. */
async function withFewUnknown(
  schema: z.ZodType,
  json: unknown,
  { adapters, stretch }: Reading,
): Promise<unknown> {
  // Every schema made by zod itself is one of these.
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod
  if (def.type !== 'object' || !isObject(json)) return json
  const names = Object.keys(json)
  if (names.length <= AT_ONCE) return json
  const known = new Set(Object.keys(def.shape).map(name => name.toLowerCase()))
  const members: [string, unknown][] = []
  let unknown = 0
  for (let at = 0; at < names.length; at++) {
    if (at % AT_ONCE === 0 && stretch.isOver) await stretch.pause()
    const name = names[at]!
    if (!known.has(name.toLowerCase()) && ++unknown > mostUnknown) continue
    members.push([name, json[name]])
  }
  if (isStrict(def)) adapters.dropped += Math.max(0, unknown - mostUnknown)
  return Object.fromEntries(members)
}

const isStrict = ({ catchall }: z.core.$ZodObjectDef): boolean => catchall?._zod.def.type === 'never'

interface LongList {
  readonly name: string
  readonly array: z.ZodArray
  readonly list: readonly unknown[]
}

function longLists(schema: z.ZodType, json: unknown): LongList[] {
  // Every schema made by zod itself is one of these.
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod
  if (def.type !== 'object' || !isObject(json)) return []
  if (!Object.values(json).some(isLongList)) return []
  // Of names that differ only in case, the last one counts.
  const last = new Map(Object.keys(json).map(name => [name.toLowerCase(), name]))
  return Object.entries(def.shape).flatMap(([name, member]) => {
    const list = json[last.get(name.toLowerCase()) ?? '']
    const array = isLongList(list) ? arrayIn(member) : undefined
    return array && isLongList(list) ? [{ name, array, list }] : []
  })
}

const isLongList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > AT_ONCE

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** The list schema of a member, if it is a list. */
function arrayIn(schema: z.core.$ZodType): z.ZodArray | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'array':
      return schema as z.ZodArray
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return arrayIn(def.innerType)
    default:
      return undefined
  }
}

async function elementsOf(
  name: string,
  element: z.ZodType,
  list: readonly unknown[],
  { adapters, stretch }: Reading,
): Promise<unknown[]> {
  const adapt = adapters.of(element)
  const some = z.array(element)
  const elements: unknown[] = []
  const issues: Issue[] = []
  for (let from = 0; from < list.length && issues.length < mostFaults; from += AT_ONCE) {
    if (stretch.isOver) await stretch.pause()
    const read = readInput(some, list.slice(from, from + AT_ONCE).map(adapt))
    if (!read.issues) for (const one of read.data) elements.push(one)
    else for (const issue of read.issues) issues.push({ ...issue, field: name + movedBy(from, issue.field) })
  }
  const [first, ...more] = issues.slice(0, mostFaults)
  if (first) throw refusal([first, ...more], issues.length - more.length - 1)
  return elements
}

/** Converts the path of an element, such as `[3].Id`, from its place in a slice to that in the whole list. */
const movedBy = (from: number, field: string): string =>
  field.replace(/^\[(\d+)\]/, (_, place) => `[${from + Number(place)}]`)

/** The same schema for bodies whose list elements have already been read; of the lists, only rules for whole lists are checked. */
function withReadLists<S extends z.ZodType>(schema: S, lists: readonly LongList[]): S {
  const { def } = (schema as unknown as z.ZodObject)._zod // only object schemas have such lists
  const read = lists.map(({ name, array }) => [
    name,
    z.array(z.unknown()).clone({ ...array.def, element: z.unknown() }),
  ])
  const shape = { ...def.shape, ...Object.fromEntries(read) }
  // Its output is the same, as the elements have already been read.
  return (schema as unknown as z.ZodObject).clone({ ...def, shape }) as unknown as S
}

function refusal(issues: readonly Issue[], unlisted: number): HttpError {
  const texts = issues.map(
    ({ field, received, expected }) => `${field || 'the body'} is ${received}; expected ${expected}`,
  )
  const more = unlisted > 0 ? [`${unlisted} more problems were found and are not listed.`] : []
  return new HttpError(400, [...new Set(texts), ...more]) // two rules with the same text are reported once
}

/** Caches adapters, so that schemas may be recursive. */
class Adapters {
  readonly #made = new Map<z.core.$ZodType, Adapt>()
  /** Number of unknown members dropped for strict models; the first ones are kept for the models to refuse. */
  dropped = 0

  of(schema: z.core.$ZodType): Adapt {
    const known = this.#made.get(schema)
    if (known) return known
    let adapt: Adapt | undefined
    this.#made.set(schema, value => adapt!(value)) // called only after `make` has returned
    adapt = this.#make(schema)
    this.#made.set(schema, adapt)
    return adapt
  }

  #make(schema: z.core.$ZodType): Adapt {
    // Every schema made by zod itself is one of these, discriminated by `type`.
    const { def } = (schema as z.core.$ZodTypes)._zod
    switch (def.type) {
      case 'object':
        return this.#object(def.shape, isStrict(def))
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
      if (!isObject(value)) return value
      const adapted = new Map<string, unknown>()
      let unknown = 0
      for (const name of Object.keys(value)) {
        const member = members.get(name.toLowerCase())
        if (!member && !(strict && ++unknown <= mostUnknown)) continue
        const given = value[name]
        if (member) adapted.set(member.name, member.adapt(given))
        else adapted.set(name, given)
      }
      this.dropped += Math.max(0, unknown - mostUnknown)
      return Object.fromEntries(adapted)
    }
  }

  /** Stops in a long list after enough faults: nobody reads more, and finding all takes long. */
  #list(element: z.core.$ZodType): Adapt {
    const adapt = this.of(element)
    const some = z.array(element)
    return value => {
      if (!Array.isArray(value) || value.length <= AT_ONCE)
        return Array.isArray(value) ? value.map(adapt) : value
      const adapted: unknown[] = []
      let faults = 0
      for (let from = 0; from < value.length && faults < mostFaults; from += AT_ONCE) {
        const slice = value.slice(from, from + AT_ONCE).map(adapt)
        faults += z.core.safeParse(some, slice).error?.issues.length ?? 0
        for (const one of slice) adapted.push(one)
      }
      return adapted
    }
  }

  /** Member names are given by the user: any name is valid and kept as it is. */
  #named(member: z.core.$ZodType): Adapt {
    const adapt = this.of(member)
    return value => {
      if (!isObject(value)) return value
      return Object.fromEntries(Object.entries(value).map(([name, given]) => [name, adapt(given)]))
    }
  }

  #optional(inner: z.core.$ZodType): Adapt {
    const adapt = this.of(inner)
    const keepsNull = inner._zod.def.type === 'array' || z.core.safeParse(inner, null).success
    return value => (value === null && !keepsNull ? undefined : adapt(value))
  }

  /** A text, number or boolean that already fits an alternative is left as it is. */
  #alternatives(options: readonly z.core.$ZodType[]): Adapt {
    const branches = options.map(schema => ({ schema, adapt: this.of(schema) }))
    return value => {
      const simple = typeof value !== 'object'
      if (simple && branches.some(({ schema }) => z.core.safeParse(schema, value).success)) return value
      const before = this.dropped
      for (const { schema, adapt } of branches) {
        const adapted = adapt(value)
        if (z.core.safeParse(schema, adapted).success) return adapted
        this.dropped = before
      }
      return value
    }
  }
}

const asItIs: Adapt = value => value

/**
 * The parser keeps whole numbers beyond 2^53 whose digits a number would lose as bigints; one of hundreds of digits is no id. Others
 * that have lost digits, such as 1e23, stay numbers.
 */
const numberToText: Adapt = value => {
  if (typeof value === 'bigint') return BigInt.asIntN(256, value) === value ? String(value) : value
  if (typeof value !== 'number' || !Number.isFinite(value)) return value
  const text = String(value)
  return !Number.isInteger(value) || text === String(BigInt(value)) ? text : value
}

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
