import { HttpError } from '../http/errors.ts'
import { type Grant, isWithin } from './grant.ts'
import type { Scope } from './keys.ts'

/** Who makes a request: the owner, who knows the secret; the holder of a key; or, on pages, anybody. */
export class Caller {
  static readonly owner = new Caller('owner')
  static readonly stranger = new Caller('stranger')

  readonly #who: Grant | 'owner' | 'stranger'

  constructor(who: Grant | 'owner' | 'stranger') {
    this.#who = who
  }

  /** Undefined for the owner and for strangers. */
  get key(): Grant | undefined {
    return typeof this.#who === 'string' ? undefined : this.#who
  }

  /** That of the key; empty for the owner and for strangers. */
  get id(): string {
    return this.key?.id ?? ''
  }

  /** The dataset that is meant where none is named. */
  get onlyDataset(): string | undefined {
    const datasets = this.key?.datasets
    return datasets?.length === 1 ? datasets[0] : undefined
  }

  /** All that answers depend on, for who keeps them. */
  get rights(): unknown {
    return this.key ?? ''
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
    return this.key !== undefined && this.key.filters.length > 0
  }

  /** The only fields that documents have for this caller. Undefined: all. */
  get fields(): readonly string[] | undefined {
    return this.key?.responseFields ?? undefined
  }

  /** What the caller is held to, which calls have to heed; undefined where there is nothing. */
  get bound(): string | undefined {
    if (this.hasFilter) return 'is for some documents only'
    if (this.fields) return 'is for some fields only'
    return this.key?.isPublic ? 'is public' : undefined
  }

  /** Whether documents have the field for this caller. */
  sees(field: string): boolean {
    return this.fields === undefined || isWithin(field, this.fields)
  }

  /** What is asked of a dataset, held to the documents that there are for this caller. */
  held<Options extends object>(options: Options): Options & { visible?: string | readonly string[] } {
    const filters = this.key?.filters ?? []
    if (filters.length === 0) return options
    return { ...options, visible: filters.length === 1 ? filters[0]! : filters }
  }

  /** HttpError 403 for pages of another origin than the key is for. What is no page says none, or whichever it likes. */
  requireOrigin(origin: string | null): void {
    const own = this.key?.origins
    if (!own || origin === null || own.includes(origin)) return
    throw new HttpError(403, `The key is not for pages of ${JSON.stringify(origin.slice(0, 300))}.`)
  }

  /** HttpError 403 for what tells of numbers of all documents, where only some are there for this caller. */
  refuseNumbers(isAsked: boolean, member: string): void {
    if (!isAsked) return
    if (this.hasFilter) throw new HttpError(403, `${member} is not for keys that see some documents only.`)
    if (this.fields) throw new HttpError(403, `${member} is not for keys that see some fields only.`)
    if (this.key?.isPublic && !this.key.allowExplain)
      throw new HttpError(403, `${member} is not for this key, which is public and has no AllowExplain.`)
  }

  /** HttpError 403 for more hits than the key has. */
  refuseBeyondLimit(asked: number, member: string): void {
    const most = this.key?.limit ?? Number.POSITIVE_INFINITY
    if (asked > most) throw beyond(member, asked, most)
  }
}

export function beyond(member: string, asked: number, most: number): HttpError {
  return new HttpError(403, `${member} is ${asked}; expected at most ${most} with this key.`)
}
