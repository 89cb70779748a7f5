import { createHmac, randomBytes, randomFillSync } from 'node:crypto'
import type * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { describeValue } from '../input.ts'
import { didYouMean } from '../nearest-name.ts'
import type { Observation } from '../observing/observation.ts'
import { sealBytes } from '../store/checksum.ts'
import { type DatasetNumber, datasetNumberSchema } from '../store/dataset-number.ts'
import { ANALYTICS_SALT_KEY } from '../store/keyspace.ts'
import type { Manifest } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { CallLog } from './call-log.ts'
import type { CallLogContext } from './call-log-context.ts'
import { callRowsAsText, queryIdOf } from './export.ts'
import type { CallEntry, CallKind } from './model/entries.ts'
import type {
  AnalyticsOverview,
  AnalyticsPoint,
  AnalyticsSuggestions,
  FigureList,
  FilterFigures,
  HitFigures,
  QueryFigures,
} from './model/figures.ts'
import { Calendar, DAY } from './model/hours-and-days.ts'
import { type AnalyzedObservation, foldedText, notedCall } from './model/noted-call.ts'
import {
  callFigures,
  filtersOf,
  hitFiguresOf,
  overviewOf,
  queriesOf,
  suggestionsOf,
} from './model/reports.ts'
import { CALLS, RollUp, type Section } from './model/roll-up.ts'
import type {
  analyticsErasure,
  analyticsEvent,
  analyticsExportOptions,
  analyticsSuggestionOptions,
  CheckedAnalytics,
  CheckedScope,
  hitListOptions,
  queryListOptions,
  topListOptions,
} from './options.ts'
import type { Bucket } from './stored-roll-ups.ts'

interface StatisticsContext {
  readonly store: Store
  readonly clock: () => number
  warn(message: string, details: Record<string, unknown>): void
}

const DEFAULT_DAYS = 400
const DEFAULT_BYTES = 2 ** 30
/** Milliseconds after which recorded calls are written. */
const WRITE_AFTER = 400
/** Pending calls from which on they are written sooner, and beyond which none is recorded. */
const [MANY_PENDING, MOST_PENDING] = [4096, 65_536]
/** Milliseconds within which events of an answer are accepted. */
const EVENTS_WITHIN = 7 * DAY
const MOST_HASHES = 10_000
/** Number of rows of a report that are guaranteed to be kept. */
const MOST_REPORTED = 20_000
/** Calendars cannot express later times. */
const LAST_TIME = 1e14

/** What people ask of all datasets of a store. */
export class QueryStatistics {
  readonly #context: StatisticsContext
  readonly #options: CheckedAnalytics
  readonly #calendar: Calendar
  readonly #salt: Buffer
  readonly #hashes = new Map<string, number>()
  readonly #ignored: Readonly<Record<'users' | 'tags' | 'keys', ReadonlySet<string>>>
  readonly #ignoresAny: boolean
  readonly #logs = new Map<DatasetNumber, CallLog>()
  /** The manifest from which the names were read. */
  #manifest: Manifest | undefined
  readonly #named = new Map<string, DatasetNumber>()
  /** Random numbers for queryIds, generated in bulk because that is cheaper. */
  readonly #random = new Uint32Array(1024)
  #randomLeft = 0
  #timer: NodeJS.Timeout | undefined
  #isHurrying = false
  #writing: Promise<void> | undefined
  #pending = 0
  /** Number of calls that came faster than they could be written. */
  readonly #lost = new Map<DatasetNumber, number>()
  #isClosed = false

  static async open(context: StatisticsContext, options: CheckedAnalytics): Promise<QueryStatistics> {
    const { store } = context
    let salt = await store.get(ANALYTICS_SALT_KEY).catch(error => {
      // A new salt changes the hashes of all users, so one is made only if the old one is lost for good.
      if (!(error instanceof FindlingError) || error.code !== 'STORE_CORRUPT') throw error
      context.warn(
        'The analytics salt is damaged: all users count as new, and those recorded so far cannot be erased by name.',
        {
          error,
        },
      )
      return undefined
    })
    if (!salt) {
      const made = randomBytes(32)
      await store.amend(transaction =>
        transaction.put(ANALYTICS_SALT_KEY, sealBytes(ANALYTICS_SALT_KEY, made)),
      )
      salt = made
    }
    const statistics = new QueryStatistics(context, options, Buffer.from(salt))
    for (const { dataset } of store.manifest.datasets)
      statistics.#logs.set(dataset, await CallLog.open(statistics.#logContext(dataset)))
    statistics.#continueErasing()
    return statistics
  }

  private constructor(context: StatisticsContext, options: CheckedAnalytics, salt: Buffer) {
    this.#context = context
    this.#options = options
    this.#calendar = new Calendar(options.timeZone)
    this.#salt = salt
    const { users, tags, keys } = options.ignore ?? {}
    this.#ignored = { users: new Set(users), tags: new Set(tags), keys: new Set(keys) }
    this.#ignoresAny = Object.values(this.#ignored).some(({ size }) => size > 0)
  }

  /** @returns the `queryId` of the answer; undefined if it is not counted */
  record(observation: Observation): string | undefined {
    if (observation.type === 'write' || observation.type === 'suggestion') return undefined
    if (this.#isClosed || (this.#ignoresAny && this.#isIgnored(observation))) return undefined
    if (!(Math.abs(observation.at) <= LAST_TIME)) return undefined
    const dataset = this.#numberOf(observation.dataset)
    if (dataset === undefined) return undefined
    if (this.#pending >= MOST_PENDING) {
      this.#lost.set(dataset, (this.#lost.get(dataset) ?? 0) + 1)
      return undefined
    }
    const token = this.#token()
    const n = this.#logOf(dataset).record(token, notedCall(observation))
    this.#pending++
    if (this.#pending === MANY_PENDING && !this.#isHurrying) this.#hurry()
    else this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER).unref()
    return queryIdOf(dataset, n, token)
  }

  async event(event: z.output<typeof analyticsEvent>): Promise<{ counted: boolean }> {
    // Each takes little, but thousands may come within one turn of the event loop.
    const { turn } = this.#context.store
    if (turn.isOver()) await turn.next({})
    const { log, call } = await this.#callOf(event.queryId)
    placeIn(call, event)
    const { type, id, value, user } = event
    if (user !== undefined && this.#ignored.users.has(user)) return { counted: false }
    if (this.#pending >= MOST_PENDING)
      throw refused('queryId', event.queryId, 'fewer events at a time: try again in a second')
    this.#pending++
    const happened = log.happened(call.n, now => {
      const place = placeIn(now, event)
      return {
        ...{ type, id },
        ...(place !== undefined && { place }),
        ...(value !== undefined && { value }),
        ...(user !== undefined && { user: this.#hashOf(user) }),
      }
    })
    const counted = await happened.finally(() => {
      this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER).unref()
    })
    if (counted === undefined) throw unknownId(event.queryId)
    return { counted }
  }

  async overview(scope: CheckedScope): Promise<AnalyticsOverview> {
    const rollUp = await this.#sum(scope, [])
    const lost = this.#logsOf(scope).reduce((sum, [, log]) => sum + (this.#lost.get(log.dataset) ?? 0), 0)
    return overviewOf(rollUp.calls[0], rollUp.isCrowded, lost)
  }

  async queries({ kind, limit, ...scope }: z.output<typeof queryListOptions>) {
    const rollUp = await this.#sum(scope, ['texts', 'next'])
    return queriesOf(rollUp, kind, limit) satisfies FigureList<QueryFigures>
  }

  async hits({ by, limit, ...scope }: z.output<typeof hitListOptions>) {
    return hitFiguresOf(await this.#sum(scope, ['hits']), by, limit) satisfies FigureList<HitFigures>
  }

  async filters({ limit, ...scope }: z.output<typeof topListOptions>) {
    return filtersOf(await this.#sum(scope, ['filters']), limit) satisfies FigureList<FilterFigures>
  }

  async series(scope: CheckedScope): Promise<AnalyticsPoint[]> {
    const points = new Map<string, Bucket & { rollUp: RollUp }>()
    await this.#visit(scope, [], (rollUp, { per, start }, isMeant) => {
      const bucket = per === scope.per ? { per, start } : this.#within(scope.per, { per, start })
      const name = `${bucket.per} ${bucket.start}`
      let point = points.get(name)
      if (!point) {
        point = { ...bucket, rollUp: new RollUp(1) }
        points.set(name, point)
      }
      point.rollUp.mergeAlike(rollUp, isMeant)
    })
    return [...points.values()]
      .flatMap(({ per, start, rollUp }) => {
        const [calls] = rollUp.calls
        if (!calls?.tally[CALLS]) return []
        return [{ at: start, per, ...callFigures(calls.tally), users: calls.users.result }]
      })
      .sort((a, b) => a.at - b.at)
  }

  async suggestions({
    atLeast,
    limit,
    ...scope
  }: z.output<typeof analyticsSuggestionOptions>): Promise<AnalyticsSuggestions> {
    const all: AnalyticsSuggestions = { synonyms: [], missing: [], stopWords: [], pins: [] }
    for (const [dataset] of this.#logsOf(scope)) {
      const wanted: Section[] = ['texts', 'next', 'dropped', 'choices']
      const rollUp = await this.#sum({ ...scope, dataset, call: 'search' }, wanted)
      const own = suggestionsOf(rollUp, dataset, { atLeast, limit })
      all.synonyms.push(...own.synonyms)
      all.missing.push(...own.missing)
      all.stopWords.push(...own.stopWords)
      all.pins.push(...own.pins)
    }
    return {
      synonyms: all.synonyms.sort((a, b) => b.times - a.times).slice(0, limit),
      missing: all.missing.sort((a, b) => b.withoutHits - a.withoutHits).slice(0, limit),
      stopWords: all.stopWords.sort((a, b) => b.dropped - a.dropped).slice(0, limit),
      pins: all.pins.sort((a, b) => b.clicks - a.clicks).slice(0, limit),
    }
  }

  export(options: z.output<typeof analyticsExportOptions>): AsyncGenerator<string> {
    const { format, queryIds, from, to = Number.POSITIVE_INFINITY, service, tag } = options
    const id = this.#serviceOf(service)
    return callRowsAsText(this.#logsOf(options), { format, queryIds }, ({ at, kind }) => {
      return at >= (from ?? Number.NEGATIVE_INFINITY) && at < to && isOf(kind, id, tag)
    })
  }

  async erase({ dataset, text, user, before }: z.output<typeof analyticsErasure>): Promise<void> {
    const what = {
      ...(text !== undefined && { text: foldedText(text) }),
      ...(user !== undefined && { user: this.#hashOf(user) }),
      ...(before !== undefined && { before }),
    }
    if (user !== undefined) this.#hashes.delete(user)
    const logs = this.#logsOf({ dataset }).map(([, log]) => log)
    for (const log of logs) await log.beginErasing(what)
    for (const log of logs) await log.erase()
  }

  /** Continues erasing that a crash has interrupted. */
  #continueErasing(): void {
    for (const log of this.#logs.values()) {
      if (!log.isErasing) continue
      void log.erase().catch(error => {
        if (!this.#isClosed)
          this.#context.warn(
            'Erasing recorded calls has not finished; it is retried when the store is next opened.',
            {
              error,
            },
          )
      })
    }
  }

  /** Texts with this beginning that many people have searched for and that find something, most popular first. */
  async popular(dataset: DatasetNumber, beginning: string, limit: number): Promise<string[]> {
    // Does not wait for calls of the last half second.
    return await this.#logOf(dataset).begunAs(foldedText(beginning), limit)
  }

  /** Writes what is pending and stores what was counted; a store that has failed is closed all the same. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#takeManifest()
    for (const log of this.#logs.values()) await log.save().catch(this.#unwritten)
  }

  /** 64 random bits. */
  #token(): string {
    if (this.#randomLeft === 0) {
      randomFillSync(this.#random)
      this.#randomLeft = this.#random.length
    }
    const high = this.#random[--this.#randomLeft]!
    const low = this.#random[--this.#randomLeft]!
    return high.toString(36) + low.toString(36)
  }

  #hurry(): void {
    this.#isHurrying = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    setImmediate(() => void this.#write())
  }

  async #write(): Promise<void> {
    this.#timer = undefined
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
      this.#isHurrying = false
      this.#pending = 0
      for (const log of this.#logs.values()) this.#pending += log.pending
      if (this.#pending > 0 && !this.#isClosed)
        this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER).unref()
    })
    await this.#writing
  }

  readonly #unwritten = (error: unknown): void =>
    this.#context.warn('Query statistics could not be written; calls since the last write may be lost.', {
      error,
    })

  async #writeAll(): Promise<void> {
    const { warn } = this.#context
    this.#takeManifest()
    for (const log of this.#logs.values()) {
      if (log.pending === 0) continue
      await log.flush().catch(error => {
        if (!this.#isClosed) this.#unwritten(error)
      })
    }
    await this.#shrink().catch(error => {
      if (!this.#isClosed) warn('Old calls could not be dropped.', { error })
    })
  }

  async #shrink(): Promise<void> {
    const { bytes: most = DEFAULT_BYTES } = this.#options.retention ?? {}
    const logs = [...this.#logs.values()]
    let all = logs.reduce((sum, { bytes }) => sum + bytes, 0)
    if (all <= most) return
    // A little more than needed, so that it is not due again at once.
    const target = 0.9 * most
    for (const log of logs.sort((a, b) => b.bytes - a.bytes)) {
      if (all <= target) return
      all -= await log.shrink(all - target)
    }
  }

  #isIgnored({ context }: AnalyzedObservation): boolean {
    if (!context) return false
    const { users, tags, keys } = this.#ignored
    return Boolean(
      (context.user !== undefined && users.has(context.user)) ||
        (context.key !== undefined && keys.has(context.key)) ||
        context.tags?.some(tag => tags.has(tag)),
    )
  }

  #logContext(dataset: DatasetNumber): CallLogContext {
    const { store, clock, warn } = this.#context
    const { mode, retention, texts } = this.#options
    return {
      ...{ store, dataset, clock, warn, mode, calendar: this.#calendar },
      days: retention?.days ?? DEFAULT_DAYS,
      textDays: texts?.days,
      hashOf: user => this.#hashOf(user),
    }
  }

  #logOf(dataset: DatasetNumber): CallLog {
    let log = this.#logs.get(dataset)
    if (!log) {
      // The dataset was created since: nothing of it is stored, and numbers are not reused.
      log = new CallLog(this.#logContext(dataset))
      this.#logs.set(dataset, log)
    }
    return log
  }

  #numberOf(name: string): DatasetNumber | undefined {
    if (this.#manifest !== this.#context.store.manifest) this.#takeManifest()
    return this.#named.get(name)
  }

  #takeManifest(): void {
    const { manifest } = this.#context.store
    this.#manifest = manifest
    this.#named.clear()
    const numbers = new Set<DatasetNumber>()
    for (const { name, dataset } of manifest.datasets) {
      this.#named.set(name, dataset)
      numbers.add(dataset)
    }
    for (const [dataset, log] of this.#logs) {
      if (numbers.has(dataset)) continue
      log.forget()
      this.#logs.delete(dataset)
      this.#lost.delete(dataset)
    }
  }

  /** A 53-bit hash of the user, which does not reveal who that is. */
  #hashOf(user: string): number {
    const known = this.#hashes.get(user)
    if (known !== undefined) return known
    const digest = createHmac('sha256', this.#salt).update(user).digest()
    const hash = digest.readUIntBE(0, 6) * 32 + (digest[6]! >> 3)
    if (this.#hashes.size >= MOST_HASHES) this.#hashes.delete(this.#hashes.keys().next().value!)
    this.#hashes.set(user, hash)
    return hash
  }

  async #callOf(queryId: string): Promise<{ log: CallLog; call: CallEntry }> {
    const [dataset, n] = queryId.split('.', 2)
    const number = datasetNumberSchema.safeParse(Number.parseInt(dataset ?? '', 36))
    this.#takeManifest()
    const log = number.success ? this.#logs.get(number.data) : undefined
    const call = await log?.callAt(Number.parseInt(n ?? '', 36))
    const isGiven = number.success && call && queryId === queryIdOf(number.data, call.n, call.token)
    if (!log || !call || !isGiven) throw unknownId(queryId)
    const { days = DEFAULT_DAYS } = this.#options.retention ?? {}
    if (this.#context.clock() - call.at > Math.min(EVENTS_WITHIN, days * DAY)) throw unknownId(queryId)
    return { log, call }
  }

  /** @throws FindlingError DATASET_NOT_FOUND */
  #logsOf({ dataset }: { dataset?: string | undefined }): [name: string, log: CallLog][] {
    this.#takeManifest()
    const number = dataset === undefined ? undefined : this.#named.get(dataset)
    if (dataset !== undefined && number === undefined) {
      const known = [...this.#named.keys()]
      throw new FindlingError(
        'DATASET_NOT_FOUND',
        `There is no dataset ${describeValue(dataset)}${didYouMean(dataset, known)}.`,
        {
          field: 'dataset',
          received: describeValue(dataset),
          expected: 'the name of a dataset that exists',
        },
      )
    }
    const named = [...this.#named].filter(([name]) => dataset === undefined || name === dataset)
    return named.map(([name, one]) => [name, this.#logOf(one)])
  }

  /** The id of the service with that id or alias; an unknown name may be the id of a removed service. */
  #serviceOf(name: string | undefined): string | undefined {
    const { services } = this.#context.store.manifest
    if (name === undefined || services.some(({ id }) => id === name)) return name
    return services.find(({ alias }) => alias === name)?.id ?? name
  }

  async #sum(scope: CheckedScope, wanted: readonly Section[]): Promise<RollUp> {
    const sum = new RollUp(MOST_REPORTED)
    await this.#visit(scope, wanted, (rollUp, _, isMeant) => sum.mergeAlike(rollUp, isMeant, wanted))
    return sum
  }

  async #visit(
    scope: CheckedScope,
    wanted: readonly Section[],
    visitor: (rollUp: RollUp, bucket: Bucket, isMeant: (kind: CallKind) => boolean) => void,
  ): Promise<void> {
    const { service, call, tag, per, from, to = Number.POSITIVE_INFINITY } = scope
    const id = this.#serviceOf(service)
    const isMeant = (kind: CallKind) => kind.call === call && isOf(kind, id, tag)
    const first = from === undefined ? Number.NEGATIVE_INFINITY : this.#within(per, startingAt(from)).start
    for (const [, log] of this.#logsOf(scope)) {
      await log.visit(
        bucket => {
          const { start } = this.#within(per, bucket)
          return start >= first && start < to
        },
        wanted,
        (rollUp, bucket) => visitor(rollUp, bucket, isMeant),
      )
    }
  }

  /** The hour or day that contains a bucket; a day is contained in no hour. */
  #within(per: 'hour' | 'day', bucket: Bucket): Bucket {
    if (bucket.per === 'day') return bucket
    if (per === 'day') return { per, start: this.#calendar.dayOf(bucket.start) }
    return { per, start: this.#calendar.hourOf(bucket.start) }
  }
}

const startingAt = (start: number): Bucket => ({ per: 'hour', start })

const isOf = ({ service, tags }: CallKind, id: string | undefined, tag: string | undefined): boolean =>
  (id === undefined || service === id) && (tag === undefined || (tags?.includes(tag) ?? false))

/** The position at which an answer showed a document. @throws FindlingError EVENT_REFUSED */
function placeIn(
  { shown, first = 1, isCut }: CallEntry,
  { id, position, type }: z.output<typeof analyticsEvent>,
): number | undefined {
  const at = shown.indexOf(id)
  const end = first + shown.length
  if (at >= 0) {
    if (position === undefined || position === first + at) return first + at
    throw refused('position', position, `${first + at}, its position in the answer`)
  }
  if (!isCut) throw refused('id', id, 'the id of a document shown in the answer')
  if (position !== undefined && position < end)
    throw refused('position', position, `at least ${end}: earlier positions show other documents`)
  if (position === undefined && type === 'click')
    throw refused(
      'position',
      position,
      'the position of the document, which is not among the first documents of a long answer',
    )
  return position
}

function refused(field: string, given: unknown, expected: string): FindlingError {
  const received = describeValue(given)
  const message = `event: ${field} is ${received}; expected ${expected}`
  return new FindlingError('EVENT_REFUSED', message, { what: 'event', field, received, expected })
}

function unknownId(queryId: string): FindlingError {
  const received = describeValue(queryId)
  const expected = 'the queryId of an answer given within the last 7 days and the time of retention'
  return new FindlingError('QUERY_ID_UNKNOWN', `event: queryId is ${received}; expected ${expected}`, {
    what: 'event',
    field: 'queryId',
    received,
    expected,
  })
}
