import type { TagCounts, TagInput, TagView } from 'findling'
import * as z from 'zod'
import { toWire } from './casing.ts'
import type { Origins } from './origins.ts'
import { nGramList, requiredText } from './rules.ts'

/** Contract, 4.1. The parent has two names; `ParentId` takes precedence if both are given. */
export const TagModelInput = z
  .object({
    Id: requiredText,
    Name: requiredText.max(1000),
    ParentId: z.string().nullish().describe('Null or blank: the tag has no parent'),
    ParentTagId: z.string().nullish().describe('The same as ParentId'),
  })
  .meta({ id: 'TagInput' })

export const TagList = z
  .object({ Tags: z.array(TagModelInput.nullable()).default([]) })
  .meta({ id: 'TagList' })

/** Contract, 4.9. */
export const TagsExportWordsSettings = z
  .object({
    TagIdList: z.array(z.string()).nullable().optional().describe('None: all leaves'),
    NGramList: nGramList.describe(
      'Lengths of the word sequences (n-grams): each from 1 to the NGramCount of the dataset',
    ),
  })
  .meta({ id: 'TagsExportWordsSettings' })

export const Tag = z
  .object({
    Id: z.string(),
    Name: z.string(),
    ParentId: z.string().nullable(),
    ParentTagId: z.string().nullable(),
    Properties: z.object({
      Paths: z.array(z.object({ Id: z.string(), Name: z.string(), Level: z.int() })),
      Level: z.int(),
      IsLeaf: z.boolean(),
      DocumentCount: z.int(),
      WordCount: z.int(),
    }),
  })
  .meta({ id: 'Tag' })

/** Origins for all calls that characterize tags by their words. */
export const tagOrigins: Origins = {
  dataset: 'DataSetName',
  tags: 'TagIdList',
  emphasizedTags: 'EmphasizedTagIdList',
  below: 'ParentTagIdList',
  nGrams: 'NGramList',
}

export function tagInput({ Id, Name, ParentId, ParentTagId }: z.output<typeof TagModelInput>): TagInput {
  return { id: Id, name: Name, parentId: (ParentId === undefined ? ParentTagId : ParentId) ?? null }
}

/** Without counts both are 0 (contract, 4.1). */
export function tagModel(tag: TagView, counts?: TagCounts): z.output<typeof Tag> {
  const { id, name, parentId, path, level, isLeaf } = tag
  const { documents, words } = counts ?? { documents: 0, words: 0 }
  return toWire({
    id,
    name,
    parentId,
    parentTagId: parentId,
    properties: { paths: path, level, isLeaf, documentCount: documents, wordCount: words },
  })
}
