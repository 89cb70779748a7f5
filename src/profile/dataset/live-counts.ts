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

/** What documents have as they are: the index has it, and is in step with them. Until it is asked for, it costs nothing. */
export class LiveCounts {
  readonly #context: LiveCountsContext
  readonly #serial = new Serial()
  #next: Promise<CurrentCounts> | undefined
  #last: { readonly counts: CurrentCounts; readonly definition: Partial<Definition> } | undefined

  constructor(context: LiveCountsContext) {
    this.#context = context
  }

  /** With every completed write. Whoever asks while it is counted waits for the next time, together with all others. */
  current(): Promise<CurrentCounts> {
    this.#next ??= this.#serial.run(() => {
      this.#next = undefined
      return this.#count()
    })
    return this.#next
  }

  /** What was counted with the fields of a profile first, among them those that no document has any more. */
  inOrderOf(
    { fields: then }: Pick<DatasetProfile, 'fields'>,
    { fields, ...counts }: CurrentCounts,
  ): CurrentCounts {
    const { settings, schema } = this.#context.state
    const { find } = queryFields(settings, schema)
    // Of a name with a dot in it nobody can tell whether it is one name, whose values the index does not keep.
    const isKept = (field: string) =>
      field !== '' && !field.includes('.') && field !== settings.idField && find(field)?.type !== 'file'
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
    // Those that documents have come before those that none has any more.
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
  // The id may be among them, if documents are ranked by it.
  const paths = yield* pathsIn(segments, MOST_FIELDS + 2)
  const known = paths.filter(path => path !== definition.settings.idField)
  const kindsOf = kindsIn(definition)
  const fields: CurrentField[] = []
  for (const path of known.slice(0, MOST_FIELDS)) {
    const { present, distinct, top } = yield* countWhole(segments, { path, kinds: kindsOf(path) }, TOP)
    // Columns go some time after the last document with a value.
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

/** By path: the kinds that its values are of. What weighs by its age is there as a date besides, which does not count. */
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
