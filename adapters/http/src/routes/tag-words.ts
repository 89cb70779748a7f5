import type { Job, WordExportReport } from 'findling'
import { wordFiles } from '../files/dictionary-files.ts'
import { zipped } from '../files/zip.ts'
import type { ProcessFiles } from '../processes/process-files.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { given } from '../wire/lists.ts'
import { fileStarted } from '../wire/processes.ts'
import { TagsExportWordsSettings, tagOrigins } from '../wire/tags.ts'
import { defineRoute } from './define-route.ts'
import { requireTags } from './known-tags.ts'

/** Contract, 4.9. */
export function tagWordsRoute(processes: Processes, files: ProcessFiles): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/Tags/ExportWords',
    action: 'TagsExportWords/Post',
    summary: 'Writes the words of tags to a file, with their counts in the tag and in the whole dataset',
    dataset: true,
    writes: true,
    body: TagsExportWordsSettings,
    origins: tagOrigins,
    example: { body: { TagIdList: ['drills'], NGramList: [1, 2] } },
    responses: {
      202: fileStarted,
      400: { when: 'The body is invalid, or the dataset has no such tag or n-gram' },
    },
    handle: async ({ engine, dataset, body, base }) => {
      const target = engine.datasets.get(dataset)
      const tags = given(body.TagIdList)
      if (tags) await requireTags(target, tags)
      const job: Job<WordExportReport> = target.tags.exportWords(
        async lists => await files.put(job, zipped(wordFiles(lists))),
        { nGrams: body.NGramList, ...(tags && { tags }) },
      )
      return await processes.started(job, { engine, base })
    },
  })
}
