import { blankBits, setBit } from '../arrays/set-bits.ts'
import { type AreaTest, areaTest } from '../geo/area.ts'
import { pointNames } from '../geo/point.ts'
import type { Inside } from '../query/query.ts'
import { columnsAt, havingValues } from './field-columns.ts'
import type { FilterFields } from './filter-fields.ts'
import { both, either, known, type Mask, opposite } from './mask.ts'
import { eachPoint, endOfPart, type PointColumns, pointColumnsAt } from './point-columns.ts'
import type { FilteredSegment } from './value-verdicts.ts'
import { certain, unknown, type Verdict } from './verdict.ts'

/** Number of points that are examined before the time is checked, and at least those of one document. */
const AT_ONCE = 2_048

/** What is known so far of one segment. */
interface Begun {
  readonly segment: FilteredSegment
  readonly columns: readonly PointColumns[]
  readonly mask: Uint32Array
  column: number
  document: number
}

/** Which documents have a point in an area, found piece by piece. */
export class PointsInside {
  readonly #field: string
  readonly #fields: FilterFields
  readonly #test: AreaTest
  #begun: Begun | undefined

  constructor({ field, area }: Inside, fields: FilterFields) {
    this.#field = field
    this.#fields = fields
    this.#test = areaTest(area)
  }

  /** Undefined where the time is up; the next call continues there. @param until on the clock of `performance.now()` */
  in(segment: FilteredSegment, until: number): Verdict | undefined {
    const { idField, tagField } = this.#fields
    const [root, ...names] = this.#field.split('.')
    // Ids have no column, and tags are texts.
    if (root === idField || root === tagField || root === '' || names.includes('')) return unknown
    if (pointNames.flat().some(name => this.#typeOf(name) === 'date')) return unknown
    const sure = this.#having(segment, until)
    if (sure === undefined) return undefined
    return segment.columns.isCut ? { sure, maybe: 'all' } : this.#withTexts(sure, segment)
  }

  #having(segment: FilteredSegment, until: number): Mask | undefined {
    const begun = this.#begun?.segment === segment ? this.#begun : this.#begin(segment)
    this.#begun = begun
    const { documents } = segment.shape
    const { south, north, holds } = this.#test
    const { mask } = begun
    const visit = (document: number, lat: number, lon: number) => {
      if (holds(lat, lon)) setBit(mask, document)
    }
    for (; begun.column < begun.columns.length; begun.column++) {
      while (begun.document < documents) {
        const columns = begun.columns[begun.column]!
        const end = endOfPart(columns, begun.document, AT_ONCE)
        eachPoint(columns, { from: begun.document, end, south, north }, visit)
        begun.document = end
        if (end < documents && performance.now() > until) return undefined
      }
      begun.document = 0
    }
    this.#begun = undefined
    return known(begun.mask)
  }

  #begin(segment: FilteredSegment): Begun {
    const columns = pointColumnsAt(segment.columns, this.#field)
    return { segment, columns, mask: blankBits(segment.shape.documents), column: 0, document: 0 }
  }

  /** Texts in a number field that only queries read as numbers have to be read. */
  #withTexts(sure: Mask, { columns, shape }: FilteredSegment): Verdict {
    const texts = pointNames.flat().flatMap(name => {
      const path = `${this.#field}.${name}`
      return this.#typeOf(name) === 'number' ? columnsAt(columns, path, 'text') : []
    })
    if (texts.length === 0) return certain(sure)
    const unread = havingValues(texts, shape.documents)
    return { sure: both(sure, opposite(unread, shape.documents)), maybe: either(sure, unread) }
  }

  #typeOf(name: string) {
    return this.#fields.query.find(`${this.#field}.${name}`)?.type
  }
}
