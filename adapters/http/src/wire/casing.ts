/** Content of documents, samples and schemas: sent as it is, with its member names unchanged. */
export class Raw {
  readonly content: unknown

  constructor(content: unknown) {
    this.content = content
  }
}

export function raw(content: unknown): Raw {
  return new Raw(content)
}

/** The wire form of an engine value: the same with PascalCase members. */
export type Wire<T> = T extends Raw
  ? unknown
  : T extends readonly (infer Element)[]
    ? Wire<Element>[]
    : T extends object
      ? { [Name in keyof T as Capitalize<Name & string>]: Wire<T[Name]> }
      : T

/** Only for values whose member names the engine defines; values with names given by users are wrapped in `raw()`. */
export function toWire<T>(value: T): Wire<T> {
  return wireForm(value) as Wire<T> // the type describes what `wireForm` does to the names
}

function wireForm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Raw) return value.content
  if (Array.isArray(value)) return value.map(wireForm)
  // Building a list of members first takes twice as long.
  const form: Record<string, unknown> = {}
  for (const name of Object.keys(value)) form[pascal(name)] = wireForm(value[name as keyof typeof value])
  return form
}

/** Options for the engine: camelCase members, without those that are undefined. */
export type FromWire<T> =
  T extends ReadonlyMap<string, infer Value>
    ? Record<string, Value>
    : T extends readonly unknown[]
      ? { [Place in keyof T]: FromWire<T[Place]> }
      : T extends object
        ? { [Name in keyof T as Uncapitalize<Name & string>]: FromWire<Exclude<T[Name], undefined>> }
        : T

/** Converts the output of a schema for the engine. A Map is an object with names given by the user: they stay as they are. */
export function fromWire<T>(model: T): FromWire<T> {
  return engineForm(model) as FromWire<T> // as above
}

function engineForm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(engineForm)
  if (value instanceof Map) return Object.fromEntries(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [camel(name), engineForm(member)]))
}

/** A name or an enumeration value as spelt on the wire. */
export function pascal<Text extends string>(text: Text): Capitalize<Text> {
  return (text.charAt(0).toUpperCase() + text.slice(1)) as Capitalize<Text> // as the type describes
}

/** A name or an enumeration value as spelt by the engine. */
export function camel<Text extends string>(text: Text): Uncapitalize<Text> {
  return (text.charAt(0).toLowerCase() + text.slice(1)) as Uncapitalize<Text> // as the type describes
}
