/**
 * JSON of any value in the order of its members, with what JSON leaves out. Of errors code, field and the like, without
 * their texts, which may be worded anew.
 */
export function textOf(value: unknown): string {
  return JSON.stringify(shown(value)) ?? 'undefined'
}

/** Members of the details of errors that are no text for people. */
const facts = ['code', 'what', 'field', 'at', 'line', 'dataset', 'id', 'refused', 'package', 'search']

function shown(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : `<${Object.is(value, -0) ? '-0' : value}>`
    case 'bigint':
      return `<${value}n>`
    case 'function':
      return '<function>'
    case 'object':
      return value === null ? null : shownObject(value)
    default:
      return value
  }
}

function shownObject(value: object): unknown {
  if (value instanceof Error) return shownError(value)
  if (value instanceof Map) return { '<map>': [...value].map(shown) }
  if (value instanceof Set) return { '<set>': [...value].map(shown) }
  if (value instanceof Uint8Array) return `<bytes ${Buffer.from(value).toString('base64')}>`
  if (value instanceof Date) return `<date ${value.toISOString()}>`
  if (Array.isArray(value)) return value.map(shown)
  if ('toJSON' in value && typeof value.toJSON === 'function') return shown(value.toJSON())
  if (Symbol.iterator in value) return [...(value as Iterable<unknown>)].map(shown)
  const isError = 'code' in value && 'message' in value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(isError && name === 'message'))
      .map(([name, one]) => [name, shown(one)]),
  )
}

function shownError(error: Error): unknown {
  const { code = error.name, details = {} } = error as { code?: string; details?: Record<string, unknown> }
  const about: Record<string, unknown> = { code, ...details }
  // An error of another kind is a bug, of which all should be seen.
  if (code === error.name) return { error: error.name, stack: error.stack }
  return Object.fromEntries(facts.flatMap(name => (name in about ? [[name, shown(about[name])]] : [])))
}
