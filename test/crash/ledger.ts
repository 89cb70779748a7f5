/** One thing a write changes: a document of a dataset, a tag, or a dataset that comes or goes. */
export type Effect =
  | { dataset: string; id: string; document: object | null }
  | { tag: string }
  | { made: string }
  | { removed: string }

export interface Announced {
  write: string
  kind: string
  effects: Effect[]
}

const keyOf = (effect: Effect): string => {
  if ('dataset' in effect) return `${effect.dataset}/${effect.id}`
  if ('tag' in effect) return `tag ${effect.tag}`
  return `dataset ${'made' in effect ? effect.made : effect.removed}`
}

const textOf = (effect: Effect): string => {
  if ('dataset' in effect) return JSON.stringify(effect.document)
  return 'removed' in effect ? 'null' : 'true'
}

const ATOMIC = new Set(['bulk', 'move', 'both'])

/** What a writer said: what must be stored, and what may be. */
export class Ledger {
  readonly #certain = new Map<string, string>()
  readonly #open = new Map<string, Announced>()

  announce(write: Announced): void {
    this.#open.set(write.write, write)
  }

  acknowledge(write: string): void {
    for (const effect of this.#open.get(write)!.effects) this.#certain.set(keyOf(effect), textOf(effect))
    this.#open.delete(write)
  }

  get size(): number {
    return this.#certain.size
  }

  /**
   * What a store holds that it should not, given all of its entries by key. A write that was not acknowledged may
   * have happened or not, but wholly; from then on what was found is certain.
   */
  settle(found: ReadonlyMap<string, string>): string[] {
    const faults: string[] = []
    const possible = new Map<string, Set<string>>()
    for (const [key, value] of this.#certain) possible.set(key, new Set([value]))
    for (const { effects } of this.#open.values()) {
      for (const effect of effects) {
        const values = possible.get(keyOf(effect)) ?? new Set(['null'])
        possible.set(keyOf(effect), values.add(textOf(effect)))
      }
    }
    for (const key of new Set([...possible.keys(), ...found.keys()])) {
      const value = found.get(key) ?? 'null'
      const allowed = possible.get(key)
      if (!allowed?.has(value)) faults.push(`${key} is ${value}, not ${[...(allowed ?? [])].join(' or ')}`)
    }
    for (const { write, kind, effects } of this.#open.values()) {
      const done = effects.filter(effect => (found.get(keyOf(effect)) ?? 'null') === textOf(effect)).length
      const undone = effects.filter(effect => {
        const before = this.#certain.get(keyOf(effect)) ?? 'null'
        return (found.get(keyOf(effect)) ?? 'null') === before
      }).length
      if (ATOMIC.has(kind) && done < effects.length && undone < effects.length)
        faults.push(`${kind} ${write} is half done`)
    }
    this.#open.clear()
    this.#certain.clear()
    for (const [key, value] of found) this.#certain.set(key, value)
    return faults
  }
}
