import { FindlingError } from '../errors.ts'

/**
 * The stores open in this process. The one mutable thing outside an instance, and kept on globalThis so that two
 * copies of this package in one program still see each other: LevelDB does not protect a folder inside a process.
 */
const REGISTRY = Symbol.for('findling.open-stores')

export interface Claim {
  release(): void
}

/** Takes a real path or a database for one engine; STORE_LOCKED when another one has it. */
export function claim(store: string | object, shownAs: string): Claim {
  const open = registry()
  if (open.has(store)) {
    throw new FindlingError(
      'STORE_LOCKED',
      `${shownAs} is already open in this process. Use the engine that has it, or close that one first.`,
      { field: 'store', received: shownAs, expected: 'a store that no other engine has open' },
    )
  }
  open.add(store)
  return { release: () => void open.delete(store) }
}

function registry(): Set<string | object> {
  const shared: typeof globalThis & { [REGISTRY]?: Set<string | object> } = globalThis
  shared[REGISTRY] ??= new Set()
  return shared[REGISTRY]
}
