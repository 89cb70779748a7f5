import type { TextColumn } from '../fulltext/segments/columns/column.ts'
import type { Contains } from '../query/query.ts'
import { columnsAt, havingCut, havingTexts } from './field-columns.ts'
import type { FilterFields } from './filter-fields.ts'
import { either, type Mask } from './mask.ts'
import { type FilteredSegment, havingAny, holdsNoTexts } from './value-verdicts.ts'
import { certain, unknown, type Verdict } from './verdict.ts'

/** Number of texts read before the time is checked. */
const AT_ONCE = 4_096

/** What is known so far of one segment. */
interface Begun {
  readonly segment: FilteredSegment
  column: number
  at: number
  wanted: Uint8Array
  mask: Mask
}

/** Which documents have a text that contains some characters. Each different text is examined once, piece by piece. */
export class ContainedTexts {
  readonly #leaf: Contains
  readonly #fields: FilterFields
  #begun: Begun | undefined

  constructor(leaf: Contains, fields: FilterFields) {
    this.#leaf = leaf
    this.#fields = fields
  }

  /** Undefined where the time is up; the next call continues there. @param until on the clock of `performance.now()` */
  in(segment: FilteredSegment, until: number): Verdict | undefined {
    const { field } = this.#leaf
    const { query, idField, tagField } = this.#fields
    // Ids have no column, and tags may be numbers.
    if (field === idField || field === tagField || field.split('.').includes('')) return unknown
    if (holdsNoTexts(query.find(field)?.type)) return havingAny(field, segment)
    const columns = columnsAt(segment.columns, field, 'text')
    const sure = this.#having(columns, segment, until)
    if (sure === undefined) return undefined
    const cut = havingCut(columns, segment.shape.documents)
    if (segment.columns.isCut) return { sure, maybe: 'all' }
    return cut === 'none' ? certain(sure) : { sure, maybe: either(sure, cut) }
  }

  #having(columns: readonly TextColumn[], segment: FilteredSegment, until: number): Mask | undefined {
    const begun = this.#begun?.segment === segment ? this.#begun : begin(segment)
    this.#begun = begun
    const { text } = this.#leaf
    for (; begun.column < columns.length; begun.column++) {
      const { texts } = columns[begun.column]!
      if (begun.at === 0) begun.wanted = new Uint8Array(texts.count)
      while (begun.at < texts.count) {
        const end = Math.min(texts.count, begun.at + AT_ONCE)
        for (; begun.at < end; begun.at++) if (texts.text(begun.at).includes(text)) begun.wanted[begun.at] = 1
        if (begun.at < texts.count && performance.now() > until) return undefined
      }
      begun.mask = either(begun.mask, havingTexts(columns[begun.column]!, begun.wanted))
      begun.at = 0
    }
    this.#begun = undefined
    return begun.mask
  }
}

const begin = (segment: FilteredSegment): Begun => ({
  segment,
  column: 0,
  at: 0,
  wanted: new Uint8Array(0),
  mask: 'none',
})
