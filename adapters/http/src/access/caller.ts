import { HttpError } from '../http/errors.ts'
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

  /** That of the key; empty for the owner and for strangers. */
  get id(): string {
    return this.key?.id ?? ''
  }

  /** All that answers depend on, for who keeps them. */
  get rights(): unknown {
    return this.key ?? ''
  }

  has(scope: Scope): boolean {
    if (typeof this.#who === 'string') return this.#who === 'owner'
    return this.#who.scopes.includes('Admin') || this.#who.scopes.includes(scope)
  }

  /** The dataset that is meant where none is named. */
  get onlyDataset(): string | undefined {
    const datasets = this.key?.datasets
    return datasets?.length === 1 ? datasets[0] : undefined
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

  /** What is asked of a dataset, held to the documents that there are for this caller. */
  held<Options extends object>(options: Options): Options & { visible?: string } {
    return this.filter === undefined ? options : { ...options, visible: this.filter }
  }

  /** HttpError 403 for what tells of numbers of all documents, where only some are there for this caller. */
  refuseNumbers(isAsked: boolean, member: string): void {
    if (isAsked && this.hasFilter)
      throw new HttpError(403, `${member} is not for keys that see some documents only.`)
  }
}
