import { HttpError } from '../http/errors.ts'
import { type Grant, isWithin } from './grant.ts'
import type { Scope } from './keys.ts'

/** Who makes a request: the owner, who knows the secret; the holder of a key; or, for public pages, anybody. */
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

  /** Id of the key; empty for the owner and for strangers. */
  get id(): string {
    return this.key?.id ?? ''
  }

  /** The dataset that is meant if none is named. */
  get onlyDataset(): string | undefined {
    const datasets = this.key?.datasets
    return datasets?.length === 1 ? datasets[0] : undefined
  }

  /** Everything about the caller that answers depend on, for caches. */
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

  /** Whether documents of visible datasets may be hidden from this caller. */
  get hasFilter(): boolean {
    return this.key !== undefined && this.key.filters.length > 0
  }

  /** The only fields of documents that this caller sees. Undefined: all. */
  get fields(): readonly string[] | undefined {
    return this.key?.responseFields ?? undefined
  }

  /** The restriction of the caller that calls have to enforce, in words; undefined if there is none. */
  get bound(): string | undefined {
    if (this.hasFilter) return 'is for some documents only'
    if (this.fields) return 'is for some fields only'
    return this.key?.isPublic ? 'is public' : undefined
  }

  /** Whether this caller sees the field of documents. */
  sees(field: string): boolean {
    return this.fields === undefined || isWithin(field, this.fields)
  }

  /** Restricts options of a call to the documents that this caller sees. */
  held<Options extends object>(options: Options): Options & { visible?: string | readonly string[] } {
    const filters = this.key?.filters ?? []
    if (filters.length === 0) return options
    return { ...options, visible: filters.length === 1 ? filters[0]! : filters }
  }

  /** HttpError 403 for pages of an origin that the key is not for. Programs other than browsers send no origin, or any they like. */
  requireOrigin(origin: string | null): void {
    const own = this.key?.origins
    if (!own || origin === null || own.includes(origin)) return
    throw new HttpError(403, `The key may not be used by pages of ${JSON.stringify(origin.slice(0, 300))}.`)
  }

  /** HttpError 403 for what reveals statistics of all documents, if this caller may not see them. */
  refuseNumbers(isAsked: boolean, member: string): void {
    const others = this.#withoutNumbers
    if (isAsked && others !== undefined) throw new HttpError(403, `${member} is not allowed with ${others}.`)
  }

  /** Whether this caller may see statistics of all documents. */
  get seesNumbers(): boolean {
    return this.#withoutNumbers === undefined
  }

  /** Which callers may not see statistics, in words, if this one is among them. */
  get #withoutNumbers(): string | undefined {
    if (this.hasFilter) return 'keys that see only some documents'
    if (this.fields) return 'keys that see only some fields'
    return this.key?.isPublic && !this.key.allowExplain
      ? 'this key, which is public and has no AllowExplain'
      : undefined
  }

  /** HttpError 403 for more hits than the key allows. */
  refuseBeyondLimit(asked: number, member: string): void {
    const most = this.key?.limit ?? Number.POSITIVE_INFINITY
    if (asked > most) throw beyond(member, asked, most)
  }
}

export function beyond(member: string, asked: number, most: number): HttpError {
  return new HttpError(403, `${member} is ${asked}; expected at most ${most} with this key.`)
}
