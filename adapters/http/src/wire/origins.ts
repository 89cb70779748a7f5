/** The body member from which an option comes. */
type Origin =
  /** Path of the member. Names below it are the same, in wire casing. */
  | string
  /** Names below the member are given by the user. */
  | { readonly content: string }
  /** A list whose null entries are left out. */
  | { readonly entries: string }
  /** The engine's names are entries of a list: each name is the member `by` of an entry, or the entry itself. */
  | { readonly list: string; readonly by?: string }

/**
 * The body members from which the engine's options come, by engine path: `tags` from `Filter.TagIdList`. Options that are
 * not listed have the same name in the body, in wire casing.
 */
export type Origins = Readonly<Record<string, Origin>>

/** Converts an engine path to the path of the member that the client has sent. */
export function fieldAsSent(field: string, origins: Origins, body: unknown): string {
  const [key = ''] = Object.keys(origins)
    .filter(key => isWithin(field, key))
    .sort((one, other) => other.length - one.length)
  const origin = origins[key] ?? ''
  const rest = field.slice(key.length)
  if (typeof origin === 'string') {
    const text = asText(origin, body)
    return text ?? origin + recased(rest, memberAt(body, origin), origin === '')
  }
  if ('content' in origin) return origin.content + rest
  if ('entries' in origin) {
    const list = memberAt(body, origin.entries)
    return origin.entries + recased(withNulls(rest, list), list, false)
  }
  return origin.list + entryAsSent(rest, origin.by, memberAt(body, origin.list))
}

/** The path of the member, or of the outermost one around it, that was sent as text in place of an object or a list. */
function asText(path: string, body: unknown): string | undefined {
  const steps = path.split('.')
  const paths = steps.map((_, at) => steps.slice(0, at + 1).join('.'))
  return path === '' ? undefined : paths.find(one => typeof memberAt(body, one) === 'string')
}

/** Converts an index that skips null entries to the index in the list as sent. */
function withNulls(path: string, list: unknown): string {
  const places = (Array.isArray(list) ? list : []).flatMap((entry, place) => (entry === null ? [] : place))
  return path.replace(/^\[(\d+)\]/, (_, place) => `[${places[Number(place)]}]`)
}

const isWithin = (field: string, key: string): boolean =>
  field.startsWith(key) && ['.', '[', undefined].includes(field[key.length])

function entryAsSent(rest: string, by: string | undefined, list: unknown): string {
  const nameOf = (entry: unknown) => String(by === undefined ? entry : memberAt(entry, by))
  const named = (Array.isArray(list) ? list : []).map(nameOf)
  const name = named.filter(name => isWithin(rest, `.${name}`)).sort((a, b) => b.length - a.length)[0]
  if (name === undefined) return ''
  const place = named.indexOf(name)
  return `[${place}]${recased(rest.slice(name.length + 1), (list as unknown[])[place], false)}`
}

/** @param value the value that the path leads into; names in a Map are given by the user and stay as they are */
function recased(path: string, value: unknown, isFirst: boolean): string {
  let text = ''
  let inside = value
  for (const [step, name] of path.matchAll(/\[\d+\]|\.?([^.[]+)/g)) {
    if (name === undefined || inside instanceof Map) {
      text += step
      inside = name === undefined ? memberAt(inside, step.slice(1, -1)) : undefined
    } else {
      const sent = name.charAt(0).toUpperCase() + name.slice(1)
      text += isFirst && text === '' ? sent : `.${sent}`
      inside = memberAt(inside, sent)
    }
  }
  return text
}

function memberAt(value: unknown, path: string): unknown {
  let found = value
  for (const name of path === '' ? [] : path.split('.'))
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined
  return found
}
