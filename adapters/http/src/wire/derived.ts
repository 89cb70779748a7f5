import * as z from 'zod'
import { camel, pascal } from './casing.ts'

/** The wire form of what a schema of the engine reads: member names and enumeration values in PascalCase. */
type WireValue<T> = T extends string
  ? string extends T
    ? T
    : Capitalize<T>
  : T extends readonly unknown[]
    ? { [Place in keyof T]: WireValue<T[Place]> }
    : T extends object
      ? { [Name in keyof T as Capitalize<Name & string>]: WireValue<T[Name]> }
      : T

/** Adds the limit under `count`, its older name, which the wire uses. */
export const counted = <Shape extends z.ZodRawShape & { limit: z.ZodType }>(options: z.ZodObject<Shape>) =>
  options.extend({ count: options.shape.limit as Shape['limit'] })

type WireMembers<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape as Capitalize<Name & string>]: z.ZodType<WireValue<z.output<Shape[Name]>>>
}

/**
 * Members of a model with the bounds and defaults of the engine's options, in the order of `words`.
 * @param words the description of each member, by its wire name; empty: none
 */
export function derived<Shape extends z.ZodRawShape, Name extends keyof WireMembers<Shape> & string>(
  { shape }: z.ZodObject<Shape>,
  words: Readonly<Record<Name, string>>,
): Pick<WireMembers<Shape>, Name> {
  const members = Object.entries<string>(words).map(([name, text]) => {
    const member = wireSchema(shape[camel(name)]!)
    return [name, text === '' ? member : member.describe(text)]
  })
  return Object.fromEntries(members) as Pick<WireMembers<Shape>, Name> // as the types describe
}

function wireSchema(schema: z.core.$ZodType): z.ZodType {
  // Every schema made by zod itself is one of these, discriminated by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod
  const like = (change: object) => (schema as z.ZodType).clone({ ...def, ...change })
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return like({ innerType: wireSchema(def.innerType) })
    case 'default': {
      const innerType = wireSchema(def.innerType)
      return innerType.default(innerType.safeParse(def.defaultValue).data ?? recased(def.defaultValue))
    }
    case 'array':
      return like({ element: wireSchema(def.element) })
    case 'union':
      return like({ options: def.options.map(wireSchema) })
    case 'enum':
      return z.enum(Object.keys(def.entries).map(pascal))
    case 'object': {
      const members = Object.entries(def.shape).map(([name, one]) => [pascal(name), wireSchema(one)])
      return like({ shape: Object.fromEntries(members) })
    }
    default:
      return schema as z.ZodType
  }
}

/** Converts an enumeration value, or a list of them. */
const recased = (words: unknown): unknown =>
  Array.isArray(words) ? words.map(recased) : pascal(String(words))
