import { FindlingError } from '../errors.ts'

/**
 * The stores open in this process. The one mutable thing outside an instance, and kept on globalThis so that two
 * copies of this package in one program still see each other: LevelDB does not protect a folder inside a process.
 */
const REGISTRY = Symbol.for('findling.open-stores')

export interface Claim {
  release(): void
}

interface Part {
  /** The real path of a folder, or the database that has none. */
  readonly place: string | object
  /** Of the keys; empty for all of them. */
  readonly prefix: string
}

/** Claims a part of a place for one engine; STORE_LOCKED when another one has it, a part of it, or something that contains it. */
export function claim(place: string | object, prefix: string, shownAs: string): Claim {
  const open = registry()
  for (const part of open) {
    if (part.place !== place) continue
    if (!part.prefix.startsWith(prefix) && !prefix.startsWith(part.prefix)) continue
    throw new FindlingError(
      'STORE_LOCKED',
      `The store (${shownAs}) could not be opened: another engine in this process has it open. Use that one, or close it first.`,
      { field: 'store', received: shownAs, expected: 'a store that no other engine has open' },
    )
  }
  const part = { place, prefix }
  open.add(part)
  return { release: () => void open.delete(part) }
}

function registry(): Set<Part> {
  const shared: typeof globalThis & { [REGISTRY]?: Set<Part> } = globalThis
  shared[REGISTRY] ??= new Set()
  return shared[REGISTRY]
}
