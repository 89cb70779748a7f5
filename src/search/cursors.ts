import { randomUUID } from 'node:crypto'
import { FindlingError } from '../errors.ts'
import type { IndexState } from '../filters/filter.ts'
import type { MatchSet } from '../fulltext/matching/match-set.ts'
import type { HitList } from '../fulltext/reordering/hit-list.ts'
import type { MatchOrder } from '../fulltext/reordering/match-order.ts'
import type { QueryAnswer } from '../fulltext/searching/searcher.ts'
import type { JsonObject } from '../json.ts'
import type { Change } from '../store/transaction.ts'
import type { SearchRequest } from './read.ts'
import type { Show } from './response-fields.ts'

/** To whom only some documents are there, and whether one of them is. */
export interface VisibleCondition {
  readonly name: string
  readonly matches: (document: JsonObject) => boolean
}

interface Opened {
  /** To whom it was opened; undefined where all documents are there. */
  readonly visible?: VisibleCondition | undefined
  /** The same of fields. */
  readonly visibleFields?: { readonly name: string } | undefined
}

/** Who asks for the next page: what was opened to somebody who sees more is not there. */
interface Onlooker {
  readonly visible?: Pick<VisibleCondition, 'name'> | undefined
  readonly visibleFields?: { readonly name: string } | undefined
}

/** A list that is read page by page, as it was at its first moment. */
export interface ListCursor extends Opened {
  readonly kind: 'list'
  readonly segments: IndexState['segments']
  readonly matches: MatchSet
  readonly order: MatchOrder
  readonly limit: number
  readonly show: Show
  /** The last document that was given. */
  last: number | undefined
  /** How many documents were skipped or given. */
  given: number
}

/** The first hits of a search, the same. */
export interface HitsCursor extends Opened {
  readonly kind: 'hits'
  readonly request: Pick<SearchRequest, 'documents' | 'highlights' | 'show' | 'text' | 'tellsGroup'>
  readonly found: Omit<QueryAnswer, 'hits' | 'kept'>
  readonly kept: HitList
  readonly limit: number
  /** How many hits were skipped before them. */
  readonly offset: number
  /** How many hits were given. */
  given: number
}

export type Cursor = ListCursor | HitsCursor

interface Kept {
  readonly cursor: Cursor
  readonly owner: string
  until: number
}

/**
 * Maximum number of open cursors of a dataset. If one more is opened, the owner with the most loses the one that would expire
 * first: nobody can push out those of others by opening many.
 */
const MOST = 32

/** Documents that changed since some cursor was opened, which are kept as they were. With more, all cursors expire. */
const MOST_CHANGED = 20_000

/** Of these documents, as JSON: 64 MB where it is Latin. */
const MOST_UNITS = 64_000_000

const FIRST_WAIT = 100_000
const NEXT_WAIT = 300_000

/**
 * The cursors of one dataset. They hold which documents there were, and as these change, what they said before, so that
 * a cursor needs no snapshot of the store.
 */
export class Cursors {
  readonly #clock: () => number
  readonly #index: { readonly seq: number }
  readonly #kept = new Map<string, Kept>()
  /** By id: what a document said before it changed, as JSON, and the number of the change. */
  readonly #before = new Map<string, { readonly seq: number; readonly json: string }[]>()
  readonly #openedAt = new Map<string, number>()
  /** Changes that the index may not have yet: one is opened on what it has. */
  #recent: Change[] = []
  #changed = 0
  #units = 0

  /**
   * @param clock milliseconds since 1970
   * @param index `seq` is the number of the last change that it has
   */
  constructor(clock: () => number, index: { readonly seq: number }) {
    this.#clock = clock
    this.#index = index
  }

  /** Takes in what documents said before they changed, while there are cursors that may ask for it. */
  follow(changes: readonly Change[]): void {
    this.#forgetExpired()
    if (this.#kept.size > 0) this.#keep(changes)
    const { seq: known } = this.#index
    this.#recent = [...this.#recent, ...changes].filter(({ seq }) => seq > known)
  }

  /**
   * @param seq that of the first moment: the last change that is in it
   * @param owner whose it is
   */
  open(cursor: Cursor, seq: number, owner = ''): string {
    this.#forgetExpired()
    if (this.#kept.size === 0) this.#keep(this.#recent)
    if (this.#kept.size >= MOST) this.#drop(this.#superfluous(owner))
    const id = randomUUID()
    this.#kept.set(id, { cursor, owner, until: this.#clock() + FIRST_WAIT })
    this.#openedAt.set(id, seq)
    return id
  }

  /** One of the owner's where nobody has more. */
  #superfluous(owner: string): string {
    const counts = new Map<string, number>()
    for (const kept of this.#kept.values()) counts.set(kept.owner, (counts.get(kept.owner) ?? 0) + 1)
    let most = owner
    for (const [other, count] of counts) if (count > (counts.get(most) ?? 0)) most = other
    const own = [...this.#kept].filter(([, kept]) => kept.owner === most)
    return own.reduce((first, other) => (other[1].until < first[1].until ? other : first))[0]
  }

  /** CURSOR_EXPIRED where there is none of that id and kind, or no more; where it shows others than are there, too. */
  next<K extends Cursor['kind']>(
    id: string,
    kind: K,
    { visible, visibleFields }: Onlooker = {},
  ): Extract<Cursor, { kind: K }> {
    this.#forgetExpired()
    const kept = this.#kept.get(id)
    if (!kept || !isOf(kept.cursor, kind)) throw expired(id)
    if (visible && kept.cursor.visible?.name !== visible.name) throw expired(id)
    if (visibleFields && kept.cursor.visibleFields?.name !== visibleFields.name) throw expired(id)
    kept.until = this.#clock() + NEXT_WAIT
    return kept.cursor
  }

  /** What a document said at the first moment of a cursor, if it has changed since. */
  before(cursor: string, id: string): JsonObject | undefined {
    const seq = this.#openedAt.get(cursor) ?? 0
    const found = this.#before.get(id)?.find(one => one.seq > seq)
    return found && JSON.parse(found.json)
  }

  close(id: string): void {
    this.#drop(id)
  }

  #keep(changes: readonly Change[]): void {
    for (const { id, seq, before } of changes) {
      if (!before) continue
      const json = JSON.stringify(before)
      this.#changed++
      this.#units += json.length
      if (this.#changed > MOST_CHANGED || this.#units > MOST_UNITS) {
        this.#clear()
        return
      }
      const known = this.#before.get(id) ?? []
      this.#before.set(id, [...known, { seq, json }])
    }
  }

  #drop(id: string): void {
    this.#kept.delete(id)
    this.#openedAt.delete(id)
    if (this.#kept.size === 0) this.#clear()
  }

  #clear(): void {
    this.#kept.clear()
    this.#openedAt.clear()
    this.#before.clear()
    this.#changed = 0
    this.#units = 0
  }

  #forgetExpired(): void {
    const now = this.#clock()
    for (const [id, { until }] of this.#kept) if (until < now) this.#drop(id)
  }
}

const isOf = <K extends Cursor['kind']>(cursor: Cursor, kind: K): cursor is Extract<Cursor, { kind: K }> =>
  cursor.kind === kind

function expired(id: string): FindlingError {
  const expected = 'a cursor that was used in the last minutes'
  const message = `The cursor has expired, or there never was one of this id; expected ${expected}. Ask for the list again.`
  return new FindlingError('CURSOR_EXPIRED', message, {
    field: 'cursor',
    received: id.slice(0, 60),
    expected,
  })
}
