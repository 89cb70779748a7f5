import { randomUUID } from 'node:crypto'
import { FindlingError } from '../errors.ts'
import type { IndexState } from '../filters/filter.ts'
import type { MatchSet } from '../fulltext/matching/match-set.ts'
import type { HitList } from '../fulltext/reordering/hit-list.ts'
import type { MatchOrder } from '../fulltext/reordering/match-order.ts'
import type { QueryAnswer } from '../fulltext/searching/text-query.ts'
import type { JsonObject } from '../json.ts'
import type { Change } from '../store/transaction.ts'
import type { DistanceOf } from './distances.ts'
import type { SearchRequest } from './read.ts'
import type { Show } from './response-fields.ts'

/** A condition for visible documents, and whether a document meets it. */
export interface VisibleCondition {
  readonly name: string
  readonly matches: (document: JsonObject) => boolean
}

interface Opened {
  /** For whom it was opened; undefined where all documents are visible. */
  readonly visible?: VisibleCondition | undefined
  /** The same for fields. */
  readonly visibleFields?: { readonly name: string } | undefined
}

/** Who asks for the next page: a cursor that was opened for somebody with another view counts as missing. */
interface Onlooker {
  readonly visible?: Pick<VisibleCondition, 'name'> | undefined
  readonly visibleFields?: { readonly name: string } | undefined
}

/** A list that is read page by page, as it was when the cursor was opened. */
export interface ListCursor extends Opened {
  readonly kind: 'list'
  readonly segments: IndexState['segments']
  readonly matches: MatchSet
  readonly order: MatchOrder
  readonly limit: number
  readonly show: Show
  readonly distanceOf?: DistanceOf | undefined
  /** The last document returned. */
  last: number | undefined
  /** How many documents were skipped or returned. */
  given: number
}

/** The first hits of a search, as they were when the cursor was opened. */
export interface HitsCursor extends Opened {
  readonly kind: 'hits'
  readonly request: Pick<SearchRequest, 'documents' | 'highlights' | 'show' | 'text' | 'tellsGroup'>
  readonly found: Omit<QueryAnswer, 'hits' | 'kept'>
  readonly kept: HitList
  readonly distanceOf?: DistanceOf | undefined
  readonly limit: number
  /** How many hits were skipped before them. */
  readonly offset: number
  /** How many hits were returned. */
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
 * first, so that nobody can evict the cursors of others by opening many.
 */
const MOST = 32

/** Maximum number of documents kept as they were before they changed under an open cursor. With more, all cursors expire. */
const MOST_CHANGED = 20_000

/** Maximum total length of these documents as JSON, in UTF-16 units: 64 MB where the text is Latin. */
const MOST_UNITS = 64_000_000

const FIRST_WAIT = 100_000
const NEXT_WAIT = 300_000

/**
 * The cursors of one dataset. They hold which documents there were, and the earlier contents of those that have changed
 * since, so that a cursor needs no snapshot of the store.
 */
export class Cursors {
  readonly #clock: () => number
  readonly #index: { readonly seq: number }
  readonly #kept = new Map<string, Kept>()
  /** By id: earlier contents of a document as JSON, each with the number of the change that replaced it. */
  readonly #before = new Map<string, { readonly seq: number; readonly json: string }[]>()
  readonly #openedAt = new Map<string, number>()
  /** Changes that the index may not have yet: a cursor is opened on the state that the index has. */
  #recent: Change[] = []
  #changed = 0
  #units = 0

  /**
   * @param clock milliseconds since 1970
   * @param index `seq` is the number of the last change in it
   */
  constructor(clock: () => number, index: { readonly seq: number }) {
    this.#clock = clock
    this.#index = index
  }

  /** Keeps the earlier contents of changed documents while there are cursors that may need them. */
  follow(changes: readonly Change[]): void {
    this.#forgetExpired()
    if (this.#kept.size > 0) this.#keep(changes)
    const { seq: known } = this.#index
    this.#recent = [...this.#recent, ...changes].filter(({ seq }) => seq > known)
  }

  /**
   * @param seq number of the last change that the cursor includes
   * @param owner whose cursor it is
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

  /** The id of the cursor to evict: one of this owner's, unless another owner has more. */
  #superfluous(owner: string): string {
    const counts = new Map<string, number>()
    for (const kept of this.#kept.values()) counts.set(kept.owner, (counts.get(kept.owner) ?? 0) + 1)
    let most = owner
    for (const [other, count] of counts) if (count > (counts.get(most) ?? 0)) most = other
    const own = [...this.#kept].filter(([, kept]) => kept.owner === most)
    return own.reduce((first, other) => (other[1].until < first[1].until ? other : first))[0]
  }

  /** CURSOR_EXPIRED if no cursor of that kind has the id (any more), or if it was opened for another view. */
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

  /** The contents that a document had when the cursor was opened, if it has changed since. */
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
  const expected = 'a cursor that was used in the last few minutes'
  const message = `The cursor has expired or never existed; expected ${expected}. Ask for the list again.`
  return new FindlingError('CURSOR_EXPIRED', message, {
    field: 'cursor',
    received: id.slice(0, 60),
    expected,
  })
}
