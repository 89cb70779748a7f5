import * as z from 'zod'
import { isMistyped } from '../../nearest-name.ts'
import { membersOf } from '../schema/dataset-settings.ts'
import { compileDateFormat, dateFormatNames } from '../schema/dates.ts'
import { isEncoding } from './text-encoding.ts'

export const columnTypes = ['text', 'number', 'boolean', 'date', 'list', 'json'] as const
/** The type of a column's cells. */
export type ColumnType = (typeof columnTypes)[number]

/** How to read a column of a table. */
export interface ImportColumn {
  /** Dotted path of the target field. Default: the name of the column. */
  field?: string | undefined
  /**
   * The type of the cells: numbers as people write them, such as `1.299,00 €`; dates, which become ISO 8601; lists of texts.
   * With a type, an empty cell gives no value, and a cell that cannot be converted stays text and is reported. Default: the type
   * of the field in the dataset.
   */
  type?: ColumnType | undefined
  /** For dates, such as `dd.MM.yyyy`, or several joined by `||`. Default: detected from the first rows. */
  format?: string | undefined
  /** The separator of a list. Default `|`. */
  separator?: string | undefined
}

/** By column name: the target field, optionally followed by `:` and a type; or how to read the column; or null to ignore it. */
export type ImportColumns = Readonly<Record<string, string | ImportColumn | null>>

/** The same, checked. */
export type CheckedColumns = ReadonlyMap<string, string | ImportColumn | null>

const fieldRule = 'the dotted path of a field: text of 1 to 1000 characters'
const field = z.string(fieldRule).min(1, fieldRule).max(1000, fieldRule)
const formatRule =
  'a date format, such as dd.MM.yyyy or yyyy-MM-dd HH:mm: dd is the day of the month, MM the month, mm the minutes'
const typeRule = `a field, followed by :${columnTypes.join(', :')} or nothing; { field } takes any name`
/** Types as others call them; behind a colon, they are mistakes. */
const otherTypes = [
  'string',
  'int',
  'integer',
  'float',
  'double',
  'decimal',
  'bool',
  'datetime',
  'array',
  'object',
]
const typedField = field.refine(hasNoOtherType, typeRule)

const column = z
  .strictObject({
    field: field.optional(),
    type: z.enum(columnTypes).optional(),
    format: z.string().refine(isDateFormat, formatRule).optional(),
    separator: z.string().min(1).max(10).optional(),
  })
  .refine(({ type, format }) => format === undefined || type === 'date', {
    path: ['type'],
    error: '"date" together with a format',
  })
  .refine(({ type, separator }) => separator === undefined || type === 'list', {
    path: ['type'],
    error: '"list" together with a separator',
  })

/** The limit of spreadsheets. */
export const mostColumns = 16_384

// A map, because zod's records lose the name __proto__.
export const columnsOption = z.preprocess(
  membersOf,
  z
    .map(z.string(), z.union([typedField, column, z.null()]))
    .refine(map => map.size <= mostColumns, `at most ${mostColumns} columns`),
)

export const encodingOption = z
  .string()
  .refine(isEncoding, 'an encoding of the Encoding Standard, such as windows-1252 or utf-16le')

function isDateFormat(format: string): boolean {
  try {
    compileDateFormat(format)
    return !format.split('||').some(hasMistakenLetters)
  } catch {
    return false
  }
}

/** `YYYY-MM-DD` and `dd/mm/yyyy` are patterns, but of days of the year and of minutes: they would read wrong dates. */
function hasMistakenLetters(format: string): boolean {
  if (dateFormatNames.includes(format.trim())) return false
  const pattern = format.replace(/'[^']*'/g, '')
  return (/D/.test(pattern) && /M/.test(pattern)) || (/m/.test(pattern) && !/[HhKk]/.test(pattern))
}

function hasNoOtherType(text: string): boolean {
  const type = text.slice(text.lastIndexOf(':') + 1)
  if (type === text || columnTypes.some(one => one === type)) return true
  return !otherTypes.includes(type.toLowerCase()) && !isMistyped(type, columnTypes)
}
