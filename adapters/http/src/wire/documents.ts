import type { DocumentChange } from 'findling'
import * as z from 'zod'
import { pascal, toWire } from './casing.ts'
import type { Origins } from './origins.ts'
import { dataSetName } from './rules.ts'

export const DocumentList = z
  .object({ Documents: z.array(z.unknown()).default([]).describe('The documents') })
  .meta({ id: 'DocumentList' })

/** Contract, 6.6. */
export const DocumentTransfer = z
  .object({ DocumentIdList: z.array(z.string()).min(1), TargetDataSetName: dataSetName })
  .meta({ id: 'DocumentTransfer' })

export const transferOrigins: Origins = { ids: 'DocumentIdList' }

export const ChangesQuery = z.strictObject({
  since: z.int().min(0).default(0).describe('Number of the last change that you know'),
  begun: z.int().min(0).default(0).describe('Begun of the previous answer, if the first call had since 0'),
  limit: z.int().min(1).max(10_000).default(1000),
})

export const DocumentChanges = z
  .object({
    Items: z.array(z.object({ Seq: z.int(), Id: z.string(), Kind: z.enum(['Content', 'Tags', 'Removal']) })),
    Count: z.int(),
    Since: z.int().describe('Pass this as since to get the next changes'),
    Begun: z
      .int()
      .describe(
        'Pass this as begun, too, if the first call had since 0; without it, the next call may be refused once removals are forgotten',
      ),
    IsComplete: z.boolean().describe('True if there are no more changes after these'),
  })
  .meta({ id: 'DocumentChanges' })

/** @param changes one more than `limit` if there are more */
export function changesModel(
  changes: readonly DocumentChange[],
  { since, begun, limit }: z.output<typeof ChangesQuery>,
): z.output<typeof DocumentChanges> {
  const items = changes.slice(0, limit)
  return {
    Items: items.map(({ kind, ...change }) => toWire({ ...change, kind: pascal(kind) })),
    Count: items.length,
    Since: items.at(-1)?.seq ?? since,
    Begun: begun,
    IsComplete: changes.length <= limit,
  }
}
