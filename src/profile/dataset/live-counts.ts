import { queryFields } from '../../datasets/query-fields.ts'
import type { DatasetState, Definition } from '../../datasets/state.ts'
import {
  type CountedPath,
  countWhole,
  pathsIn,
  type SegmentThen,
  segmentsThen,
} from '../../facets/whole-counts.ts'
import type { LiveIndex } from '../../live/live-index.ts'
import { isOpaque } from '../../query/fields.ts'
import { Serial } from '../../scheduling/serial.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import type { Store } from '../../store/store.ts'
import type { CurrentCounts, CurrentField, DatasetProfile } from '../model/profile.ts'

interface LiveCountsContext {
  readonly store: Store
  readonly state: DatasetState
  readonly index: LiveIndex
  readonly clock: () => number
}

const MOST_FIELDS = 500
const TOP = 20

/** Counts of the current documents, from the index, which follows every write. They cost nothing until they are requested. */
export class LiveCounts {
  readonly #context: LiveCountsContext
  readonly #serial = new Serial()
  #next: Promise<CurrentCounts> | undefined
  #last: { readonly counts: CurrentCounts; readonly definition: Partial<Definition> } | undefined

  constructor(context: LiveCountsContext) {
    this.#context = context
  }

  /** Includes every completed write. Calls that arrive during a count share the next one. */
  current(): Promise<CurrentCounts> {
    this.#next ??= this.#serial.run(() => {
      this.#next = undefined
      return this.#count()
    })
    return this.#next
  }

  /** The counts with the fields of a profile first, including those that no document has any more. */
  inOrderOf(
    { fields: then }: Pick<DatasetProfile, 'fields'>,
    { fields, ...counts }: CurrentCounts,
  ): CurrentCounts {
    const { settings, schema } = this.#context.state
    const { find } = queryFields(settings, schema)
    // A dot may be part of a field name, whose values the index does not keep, or separate two names.
    const isKept = (field: string) =>
      field !== '' && !field.includes('.') && field !== settings.idField && !isOpaque(find(field)?.type)
    const left = new Map(fields.map(one => [one.field, one]))
    const ordered: CurrentField[] = []
    for (const { field } of then) {
      const one = left.get(field)
      if (one) ordered.push(one)
      else if (isKept(field) && counts.exact && !counts.fieldsCut)
        ordered.push({ field, present: 0, missing: counts.documents, distinct: 0, top: [] })
      left.delete(field)
    }
    const all = [...ordered, ...left.values()]
    // Fields that documents have take precedence over those that none has any more.
    const kept = new Set(
      all
        .toSorted((one, other) => Number(one.present === 0) - Number(other.present === 0))
        .slice(0, MOST_FIELDS),
    )
    return {
      ...counts,
      fields: all.filter(one => kept.has(one)),
      fieldsCut: counts.fieldsCut || all.length > MOST_FIELDS,
    }
  }

  async #count(): Promise<CurrentCounts> {
    const { index, state, clock, store } = this.#context
    const { seq, at, segments } = await index.ask(({ state }, seq) => {
      return { seq, at: clock(), segments: segmentsThen(state) }
    })
    const { settings, schema } = state
    const last = this.#last
    const isKnown =
      last?.counts.seq === seq && last.definition.settings === settings && last.definition.schema === schema
    if (isKnown) return last.counts
    const counted = await inStretches(countedFields(segments, { settings, schema }), undefined, store.turn)
    const counts = { at, seq, ...counted }
    this.#last = { counts, definition: { settings, schema } }
    return counts
  }
}

function* countedFields(
  segments: readonly SegmentThen[],
  definition: Pick<Definition, 'settings' | 'schema'>,
): Generator<void, Omit<CurrentCounts, 'at' | 'seq'>> {
  const documents = segments.reduce((sum, { living }) => sum + living, 0)
  // The id field may be among them, if documents are ranked by it.
  const paths = yield* pathsIn(segments, MOST_FIELDS + 2)
  const known = paths.filter(path => path !== definition.settings.idField)
  const kindsOf = kindsIn(definition)
  const fields: CurrentField[] = []
  for (const path of known.slice(0, MOST_FIELDS)) {
    const { present, distinct, top } = yield* countWhole(segments, { path, kinds: kindsOf(path) }, TOP)
    // A column outlives its last document with a value for some time.
    if (present === 0) continue
    fields.push({
      field: path,
      present,
      missing: documents - present,
      ...(distinct !== undefined && { distinct }),
      top: top.map(({ value, count }) => ({ value, count })),
    })
  }
  const fieldsCut = known.length > MOST_FIELDS
  return { documents, fields, fieldsCut, exact: !segments.some(({ columns }) => columns.isCut) }
}

/** By path: the kinds of values to count. Fields ranked by age are also indexed as dates, which are not counted. */
function kindsIn({
  settings,
  schema,
}: Pick<Definition, 'settings' | 'schema'>): (path: string) => CountedPath['kinds'] {
  const { find } = queryFields(settings, schema)
  return path => {
    if (path === settings.tagField) return ['tags']
    const others = ['number', 'boolean', 'text'] as const
    return find(path)?.type === 'date' ? ['date', ...others] : others
  }
}
