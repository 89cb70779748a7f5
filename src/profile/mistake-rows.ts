import * as z from 'zod'
import { readableCell } from '../datasets/rows/csv-cells.ts'
import { csvLine } from '../datasets/rows/csv-text.ts'
import { parseInput } from '../input.ts'
import type { Mistake } from './model/profile.ts'

const evidence = ['score', 'likelierScore', 'documents', 'words', 'value', 'from', 'to'] as const
const columns = ['kind', 'ids', 'tagIds', 'field', 'reason', ...evidence] as const

const texts = z.array(z.string())
const mistakes = z
  .array(
    z.object({
      kind: z.string(),
      ids: texts,
      tagIds: texts,
      field: z.string().nullable(),
      reason: z.string(),
      evidence: z.record(z.string(), z.number()),
    }),
  )
  .max(100_000)

/**
 * The mistakes of a profile as CSV (RFC 4180), all rows with the same columns: the kind, the ids and tags joined by `|`, the
 * field, the reason, and the numbers behind it. INVALID_ARGUMENT.
 * @example
 * const { mistakes } = await products.profile()
 * console.log(mistakesCsv(mistakes).split(',')[0]) // kind
 */
export function mistakesCsv(given: readonly Mistake[]): string {
  const rows = parseInput(mistakes, given, 'mistakes').map(mistake => {
    const { kind, ids, tagIds, field, reason } = mistake
    const numbers = evidence.map(name => readableCell(mistake.evidence[name]))
    return csvLine([kind, readableCell(ids), readableCell(tagIds), readableCell(field), reason, ...numbers])
  })
  return csvLine(columns) + rows.join('')
}
