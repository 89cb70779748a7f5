/** Content of documents, samples and schemas: goes out as it is, whatever its members are called. */
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

/** Members of engine values are a fixed few: never text of a user, who gets `raw()`. */
export function toWire<T>(value: T): Wire<T> {
  return wireForm(value) as Wire<T> // the type says of the names what `wireForm` does to them
}

function wireForm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Raw) return value.content
  if (Array.isArray(value)) return value.map(wireForm)
  // A list of the members takes twice as long.
  const form: Record<string, unknown> = {}
  for (const name of Object.keys(value)) form[pascal(name)] = wireForm(value[name as keyof typeof value])
  return form
}

/** Options for the engine: camelCase members, those that are undefined left out. */
export type FromWire<T> =
  T extends ReadonlyMap<string, infer Value>
    ? Record<string, Value>
    : T extends readonly unknown[]
      ? { [Place in keyof T]: FromWire<T[Place]> }
      : T extends object
        ? { [Name in keyof T as Uncapitalize<Name & string>]: FromWire<Exclude<T[Name], undefined>> }
        : T

/** What a schema has read, for the engine. A map is an object whose members the user has named: they stay as they are. */
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

/** A name or a word of an enumeration as the wire spells it. */
export function pascal<Text extends string>(text: Text): Capitalize<Text> {
  return (text.charAt(0).toUpperCase() + text.slice(1)) as Capitalize<Text> // which is what the type means
}

/** A name or a word of an enumeration as the engine spells it. */
export function camel<Text extends string>(text: Text): Uncapitalize<Text> {
  return (text.charAt(0).toLowerCase() + text.slice(1)) as Uncapitalize<Text> // which is what the type means
}
