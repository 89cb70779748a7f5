import type { BulkRow, RefusedTag } from 'findling'
import * as z from 'zod'
import { withSettingNames } from '../http/setting-names.ts'
import { Stretch } from '../http/stretch.ts'

/** The result for one item, with the status that it would have had in a call of its own. */
export const BulkResult = z
  .object({ StatusCode: z.int(), Id: z.string().nullable(), Error: z.string() })
  .meta({ id: 'BulkResult' })

export type BulkResult = z.output<typeof BulkResult>

export const BulkResults = z.object({ Results: z.array(BulkResult) }).meta({ id: 'BulkResults' })

/** Refused documents first (contract, 5.4). A row replaced by a later row with the same id counts as stored, too. */
export async function documentResults(rows: readonly BulkRow[]): Promise<BulkResult[]> {
  const stretch = new Stretch()
  const refused: BulkResult[] = []
  const taken: BulkResult[] = []
  for (const { id, error } of rows) {
    if (stretch.isOver) await stretch.pause()
    if (error) {
      const message = withSettingNames(error.message)
      refused.push({ StatusCode: statusOfRefusal(error.code), Id: id, Error: message })
    } else taken.push(stored(id))
  }
  return [...refused, ...taken]
}

export function refusedTags(refused: readonly RefusedTag[]): BulkResult[] {
  return refused.map(({ id, code, message }) => ({
    StatusCode: code === 'INVALID_ARGUMENT' ? 400 : 404,
    Id: id,
    Error: message,
  }))
}

export function stored(id: string | null): BulkResult {
  return { StatusCode: 200, Id: id, Error: '' }
}

/** 400 for a document that breaks a rule, 406 for one that the store could not take. */
function statusOfRefusal(code: string): number {
  return code === 'INVALID_DOCUMENT' || code === 'INVALID_ARGUMENT' ? 400 : 406
}
