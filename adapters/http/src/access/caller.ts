import type { Condition } from 'findling'
import type { NamedKey, Scope } from './keys.ts'

/** Who makes a request: the owner, who knows the secret; the holder of a named key; or, on pages, anybody. */
export class Caller {
  static readonly owner = new Caller('owner')
  static readonly stranger = new Caller('stranger')

  readonly #who: NamedKey | 'owner' | 'stranger'

  constructor(who: NamedKey | 'owner' | 'stranger') {
    this.#who = who
  }

  /** Undefined for the owner and for strangers. */
  get key(): NamedKey | undefined {
    return typeof this.#who === 'string' ? undefined : this.#who
  }

  has(scope: Scope): boolean {
    if (typeof this.#who === 'string') return this.#who === 'owner'
    return this.#who.scopes.includes('Admin') || this.#who.scopes.includes(scope)
  }

  isFor(dataset: string): boolean {
    return this.key?.datasets?.includes(dataset) ?? true
  }

  /** Whether there are documents that are not there for this caller, although their dataset is. */
  get hasFilter(): boolean {
    return this.filter !== undefined
  }

  /** Which documents there are for this caller, as a query string. Undefined: all. */
  get filter(): string | undefined {
    return this.key?.filter ?? undefined
  }

  /** Options of a search or a list, with the filter of the caller besides their own. */
  held<Options extends { filter?: Condition }>(options: Options): Options {
    return this.filter === undefined ? options : { ...options, filter: this.narrowed(options.filter) }
  }

  narrowed(filter: Condition | undefined): Condition {
    const both = [this.filter, filter].flat().filter(one => one !== undefined)
    return both.length === 0 ? {} : both
  }
}
