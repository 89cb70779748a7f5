import * as z from 'zod'
import { TagTree } from '../../datasets/tags/tag-tree.ts'
import { FindlingError } from '../../errors.ts'
import { inStretches } from '../../scheduling/stretch.ts'

const tags = z.array(z.tuple([z.string(), z.string(), z.string().nullable()]))

/** The tags as they were when a model was made: what is done to them later changes no answer. */
export async function copyOfTags(tree: TagTree): Promise<Uint8Array> {
  const sorted = await inStretches(tree.sorted())
  return Buffer.from(JSON.stringify(sorted.map(({ id, name, parentId }) => [id, name, parentId])))
}

/** STORE_CORRUPT */
export function readTagCopy(bytes: Uint8Array): TagTree {
  const { data } = tags.safeParse(JSON.parse(Buffer.from(bytes).toString()))
  if (!data) throw new FindlingError('STORE_CORRUPT', 'The tags of a classifier service cannot be read.')
  const list = data.map(([id, name, parentId]) => ({ id, name, parentId }))
  return new TagTree(list, { integerIds: false })
}
