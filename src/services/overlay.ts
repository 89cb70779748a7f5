import { isObject } from '../json.ts'

type Settings = Readonly<Record<string, unknown>>

/**
 * Merges settings over others: objects member by member, everything else as a whole. Undefined members count as not given.
 */
export function overlay<Base extends object>(base: Base, given: object): Base {
  const merged: Record<string, unknown> = { ...(base as Settings) }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const before = merged[name]
    merged[name] = isObject(before) && isObject(value) ? { ...before, ...defined(value) } : value
  }
  return merged as Base // given are members of the same settings
}

function defined(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}
