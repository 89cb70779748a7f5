import type { TextColumn } from '../fulltext/segments/columns/column.ts'
import type { Columns } from '../fulltext/segments/columns/columns.ts'
import { LONGEST_TEXT } from '../fulltext/segments/columns/kinds.ts'
import { hashId } from '../fulltext/segments/id-table.ts'
import type { Segment } from '../fulltext/segments/segment.ts'
import { isOpaque, numberIn, type QueryFieldType } from '../query/fields.ts'
import type { Exists, Range, Value } from '../query/query.ts'
import { betweenBounds } from '../query/word-tests.ts'
import {
  anyColumnsAt,
  columnsAt,
  columnsBelow,
  havingCut,
  havingNumbers,
  havingOrdinals,
  havingText,
  havingTexts,
  havingValues,
} from './field-columns.ts'
import type { FilterFields } from './filter-fields.ts'
import { either, type Mask, maskOf } from './mask.ts'
import { allMatch, certain, possible, unknown, type Verdict } from './verdict.ts'

/** A segment whose columns are loaded. */
export type FilteredSegment = Segment & { readonly columns: Columns }

/** A leaf that asks for values, not for words. */
export type ValueLeaf = Value | Exists | Exclude<Range, { over: 'words' }>

export function valueVerdict(leaf: ValueLeaf, segment: FilteredSegment, fields: FilterFields): Verdict {
  const { field } = leaf
  // No column has such a name.
  if (field.split('.').includes('')) return unknown
  if (field === fields.idField) return idVerdict(leaf, segment)
  const told = field === fields.tagField ? tagVerdict(leaf, segment) : columnVerdict(leaf, segment, fields)
  return segment.columns.isCut ? { sure: told.sure, maybe: 'all' } : told
}

/** Ids have no column, and may be numbers. */
function idVerdict(leaf: ValueLeaf, segment: FilteredSegment): Verdict {
  if (leaf.kind === 'exists') return allMatch
  if (leaf.kind === 'range' || typeof leaf.value === 'boolean') return unknown
  const id = String(leaf.value)
  const document = segment.documentOf(id, hashId(id))
  if (document < 0) return certain('none')
  const mask = maskOf([document], segment.shape.documents)
  return typeof leaf.value === 'string' && !mayBeNumber(id) ? certain(mask) : possible(mask)
}

/** Tags are stored as text, even if they are numbers, and empty ones are not stored. */
function tagVerdict(leaf: ValueLeaf, { columns, shape: { documents } }: FilteredSegment): Verdict {
  const column = columns.find(leaf.field, 'tags')
  if (leaf.kind === 'exists') return { sure: havingValues(column ? [column] : [], documents), maybe: 'all' }
  if (leaf.kind === 'range' || leaf.value === '') return unknown
  const id = String(leaf.value)
  const mask = havingText(column ? [column] : [], id)
  return mask === 'none' || (typeof leaf.value === 'string' && !mayBeNumber(id))
    ? certain(mask)
    : possible(mask)
}

/** Whether a text that was made of an id or tag may have been a number. */
export const mayBeNumber = (text: string): boolean => String(Number(text)) === text

function columnVerdict(leaf: ValueLeaf, segment: FilteredSegment, fields: FilterFields): Verdict {
  if (leaf.kind === 'exists') return existence(leaf, segment, fields)
  if (leaf.kind === 'value') return equality(leaf, segment, fields)
  return leaf.over === 'texts' ? textsBetween(leaf, segment, fields) : numbersBetween(leaf, segment, fields)
}

function existence({ field }: Exists, segment: FilteredSegment, { query }: FilterFields): Verdict {
  const { columns, shape } = segment
  const having = [...anyColumnsAt(columns, field), ...columnsBelow(columns, field)]
  const sure = havingValues(having, shape.documents)
  const hasNone = (path: string) => isOpaque(query.find(path)?.type)
  const mayBeBelow = hasNone(field) || query.names.some(name => name.startsWith(`${field}.`) && hasNone(name))
  return mayBeBelow ? { sure, maybe: 'all' } : certain(sure)
}

function equality({ field, value }: Value, segment: FilteredSegment, { query }: FilterFields): Verdict {
  const { columns, shape } = segment
  const type = query.find(field)?.type
  if (typeof value === 'number') {
    if (type === 'date') return havingAny(field, segment)
    const bound = { value, inclusive: true }
    const mask = havingNumbers(columnsAt(columns, field, 'number'), bound, bound)
    if (type !== 'number') return certain(mask)
    return certain(
      either(
        mask,
        havingNumericTexts(field, segment, number => number === value),
      ),
    )
  }
  if (typeof value === 'boolean') {
    const bound = { value: value ? 1 : 0, inclusive: true }
    const mask = havingNumbers(columnsAt(columns, field, 'boolean'), bound, bound)
    if (type !== 'boolean') return certain(mask)
    return certain(either(mask, havingText(columnsAt(columns, field, 'text'), String(value))))
  }
  if (holdsNoTexts(type)) return havingAny(field, segment)
  const having = columnsAt(columns, field, 'text')
  if (value.length <= LONGEST_TEXT) return certain(havingText(having, value))
  return possible(havingCut(having, shape.documents))
}

/** Texts in a number field that only queries read as numbers, such as those with more digits than a number holds. */
function havingNumericTexts(
  field: string,
  { columns }: FilteredSegment,
  holds: (value: number) => boolean,
): Mask {
  return havingTextsOf(columnsAt(columns, field, 'text'), text => {
    const number = numberIn(text)
    return number !== undefined && holds(number)
  })
}

/** Documents with a text for which `holds` is true; each different text is examined once. */
function havingTextsOf(columns: readonly TextColumn[], holds: (text: string) => boolean): Mask {
  return columns.reduce<Mask>((mask, column) => {
    const { texts } = column
    const wanted = new Uint8Array(texts.count)
    for (let ordinal = 0; ordinal < wanted.length; ordinal++)
      if (holds(texts.text(ordinal))) wanted[ordinal] = 1
    return either(mask, havingTexts(column, wanted))
  }, 'none')
}

/** Texts that contain a number, a date or a boolean are stored as such in fields of that type. */
export const holdsNoTexts = (type: QueryFieldType | undefined): boolean =>
  type === 'number' || type === 'date' || type === 'boolean'

export const havingAny = (field: string, { columns, shape }: FilteredSegment): Verdict =>
  possible(havingValues(anyColumnsAt(columns, field), shape.documents))

function numbersBetween(
  range: Extract<Range, { over: 'numbers' | 'times' }>,
  segment: FilteredSegment,
  { query }: FilterFields,
): Verdict {
  const { field, over, from, to } = range
  const mask = havingNumbers(
    columnsAt(segment.columns, field, over === 'times' ? 'date' : 'number'),
    from,
    to,
  )
  if (over === 'times' || query.find(field)?.type !== 'number') return certain(mask)
  return certain(either(mask, havingNumericTexts(field, segment, betweenBounds(from, to))))
}

function textsBetween(
  { field, from, to }: Extract<Range, { over: 'texts' }>,
  segment: FilteredSegment,
  { query }: FilterFields,
): Verdict {
  const { columns, shape } = segment
  if (holdsNoTexts(query.find(field)?.type)) return havingAny(field, segment)
  const having = columnsAt(columns, field, 'text')
  const sure = havingOrdinals(having, ({ texts }) => {
    const beyond = (text: string) => texts.lowerBound(text) + (texts.find(text) >= 0 ? 1 : 0)
    return [
      !from ? 0 : from.inclusive ? texts.lowerBound(from.value) : beyond(from.value),
      !to ? texts.count : to.inclusive ? beyond(to.value) : texts.lowerBound(to.value),
    ]
  })
  const cut = havingCut(having, shape.documents)
  return cut === 'none' ? certain(sure) : { sure, maybe: either(sure, cut) }
}
