import type { Columns } from '../fulltext/segments/columns/columns.ts'
import { LONGEST_TEXT } from '../fulltext/segments/columns/kinds.ts'
import { hashId } from '../fulltext/segments/id-table.ts'
import type { Segment } from '../fulltext/segments/segment.ts'
import { numberIn } from '../query/fields.ts'
import type { Exists, Range, Value } from '../query/query.ts'
import { within } from '../query/word-tests.ts'
import {
  anyColumnsAt,
  columnsAt,
  columnsBelow,
  havingValues,
  markBetween,
  markCut,
  markNumbers,
  markOrdinals,
  markTexts,
} from './field-columns.ts'
import type { FilterFields } from './filter-fields.ts'
import { blank } from './mask.ts'
import { allMatch, certain, possible, unknown, type Verdict } from './verdict.ts'

/** A segment whose columns are there. */
export type FilteredSegment = Segment & { readonly columns: Columns }

/** A leaf that asks for values, not for words. */
export type ValueLeaf = Value | Exists | Exclude<Range, { over: 'words' }>

export function valueVerdict(leaf: ValueLeaf, segment: FilteredSegment, fields: FilterFields): Verdict {
  const { field } = leaf
  // Nothing has a column of such a name.
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
  const mask = blank(segment.shape.documents)
  mask[document] = 1
  return typeof leaf.value === 'string' && !mayBeNumber(id) ? certain(mask) : possible(mask)
}

/** Tags are kept as text, whether they are numbers or not, and empty ones are not kept. */
function tagVerdict(leaf: ValueLeaf, { columns, shape: { documents } }: FilteredSegment): Verdict {
  const column = columns.find(leaf.field, 'tags')
  if (leaf.kind === 'exists') return { sure: havingValues(column ? [column] : [], documents), maybe: 'all' }
  if (leaf.kind === 'range' || leaf.value === '') return unknown
  const id = String(leaf.value)
  const ordinal = column?.texts.find(id) ?? -1
  if (!column || ordinal < 0) return certain('none')
  const mask = blank(documents)
  markOrdinals(column, ordinal, ordinal + 1, mask)
  return typeof leaf.value === 'string' && !mayBeNumber(id) ? certain(mask) : possible(mask)
}

/** Whether a number can stand behind a text that was made of an id or tag. */
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
  // Files have no columns.
  const isFile = (path: string) => query.find(path)?.type === 'file'
  const mayHoldFiles = isFile(field) || query.names.some(name => name.startsWith(`${field}.`) && isFile(name))
  return mayHoldFiles ? { sure, maybe: 'all' } : certain(sure)
}

function equality({ field, value }: Value, segment: FilteredSegment, { query }: FilterFields): Verdict {
  const { columns, shape } = segment
  const type = query.find(field)?.type
  const mask = blank(shape.documents)
  if (typeof value === 'number') {
    for (const column of columnsAt(columns, field, 'number')) markBetween(column, value, value, mask)
    if (type === 'date') return havingAny(field, segment)
    if (type === 'number') markNumericTexts(field, segment, number => number === value, mask)
    return certain(mask)
  }
  if (typeof value === 'boolean') {
    for (const column of columnsAt(columns, field, 'boolean'))
      markNumbers(column, truth => (truth === 1) === value, mask)
    if (type === 'boolean') markText(field, segment, String(value), mask)
    return certain(mask)
  }
  // Text that says a number, a date, true or false is kept as that.
  if (type === 'number' || type === 'date' || type === 'boolean') return havingAny(field, segment)
  const isKept = markText(field, segment, value, mask)
  if (value.length <= LONGEST_TEXT) return certain(isKept ? mask : 'none')
  const maybe = blank(shape.documents)
  markCut(columnsAt(columns, field, 'text'), maybe)
  return possible(maybe)
}

/** Marks the documents that have the text; false where no document has. */
function markText(field: string, { columns }: FilteredSegment, text: string, mask: Uint8Array): boolean {
  let isThere = false
  for (const column of columnsAt(columns, field, 'text')) {
    const ordinal = column.texts.find(text)
    if (ordinal < 0) continue
    isThere = true
    markOrdinals(column, ordinal, ordinal + 1, mask)
  }
  return isThere
}

/** Texts of a number field that are read as numbers by queries alone, as those with more digits than a number has. */
function markNumericTexts(
  field: string,
  { columns }: FilteredSegment,
  holds: (value: number) => boolean,
  mask: Uint8Array,
): void {
  for (const column of columnsAt(columns, field, 'text')) {
    const { texts } = column
    const wanted = new Uint8Array(texts.count)
    for (let ordinal = 0; ordinal < wanted.length; ordinal++) {
      const number = numberIn(texts.text(ordinal))
      if (number !== undefined && holds(number)) wanted[ordinal] = 1
    }
    markTexts(column, wanted, mask)
  }
}

const havingAny = (field: string, { columns, shape }: FilteredSegment): Verdict =>
  possible(havingValues(anyColumnsAt(columns, field), shape.documents))

function numbersBetween(
  range: Extract<Range, { over: 'numbers' | 'times' }>,
  segment: FilteredSegment,
  { query }: FilterFields,
): Verdict {
  const { field, over, from, to } = range
  const { columns, shape } = segment
  const kind = over === 'times' ? 'date' : 'number'
  const mask = blank(shape.documents)
  const holds = within(from, to)
  const isClosed = (from?.inclusive ?? true) && (to?.inclusive ?? true)
  for (const column of columnsAt(columns, field, kind)) {
    if (isClosed) markBetween(column, from?.value ?? -Infinity, to?.value ?? Infinity, mask)
    else markNumbers(column, holds, mask)
  }
  if (over === 'numbers' && query.find(field)?.type === 'number')
    markNumericTexts(field, segment, holds, mask)
  return certain(mask)
}

function textsBetween(
  { field, from, to }: Extract<Range, { over: 'texts' }>,
  segment: FilteredSegment,
  { query }: FilterFields,
): Verdict {
  const { columns, shape } = segment
  const type = query.find(field)?.type
  if (type === 'number' || type === 'date' || type === 'boolean') return havingAny(field, segment)
  const having = columnsAt(columns, field, 'text')
  const sure = blank(shape.documents)
  for (const column of having) {
    const { texts } = column
    const beyond = (text: string) => texts.lowerBound(text) + (texts.find(text) >= 0 ? 1 : 0)
    const first = !from ? 0 : from.inclusive ? texts.lowerBound(from.value) : beyond(from.value)
    const end = !to ? texts.count : to.inclusive ? beyond(to.value) : texts.lowerBound(to.value)
    markOrdinals(column, first, end, sure)
  }
  if (having.every(({ cut }) => cut.length === 0)) return certain(sure)
  const maybe = blank(shape.documents)
  maybe.set(sure)
  markCut(having, maybe)
  return { sure, maybe }
}
