import type { ImportOptions } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { exampleRows } from '../sample/example.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'

/** How a body is read by its content type; each line of the other types is a document as JSON. */
const formats = new Map<string, Pick<ImportOptions, 'format' | 'delimiter'>>([
  ['application/json', { format: 'json' }],
  ['text/csv', { format: 'csv' }],
  ['text/tab-separated-values', { format: 'csv', delimiter: '\t' }],
])

const ImportQuery = z.strictObject({
  delimiter: z
    .string()
    .regex(/^[^"\r\n\\]$/, 'one character other than a quote, a backslash or a line end')
    .optional()
    .describe('For CSV: the character between the values. Default: guessed from the first line'),
})

/**
 * Contract, 20. The answer comes when the body has been read to its end, which the client is busy with until then
 * anyway; meanwhile the process is listed and can be cancelled.
 */
export function importRoute(processes: Processes): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/Documents/Import',
    action: 'DocumentsImport/Post',
    summary: 'Stores documents as they stream in; wrong ones are refused, the others are stored',
    extension: true,
    dataset: true,
    writes: true,
    example: { body: exampleRows },
    query: ImportQuery,
    stream: ['application/x-ndjson', 'application/jsonl', ...formats.keys()],
    responses: { 202: { when: 'The process that did it', body: Process } },
    handle: async ({ engine, dataset, stream, headers, query, base, caller, signal }) => {
      const { documents } = engine.datasets.get(dataset)
      const delimiter = query.delimiter === undefined ? {} : { delimiter: query.delimiter }
      const owner = caller.id
      const job = documents.import(stream ?? [], { ...formatOf(headers), ...delimiter, owner, signal })
      await processes.follow(engine, job, [])
      await job.finished.catch(refuseHttpError)
      return await processes.started(job, { engine, base })
    },
  })
}

function formatOf(headers: Headers): Pick<ImportOptions, 'format' | 'delimiter'> {
  const type = headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  return formats.get(type) ?? { format: 'jsonl' }
}

/** A body that is too large or breaks off is the request's error; why else the job failed, the process tells. */
function refuseHttpError(error: unknown): void {
  if (error instanceof HttpError) throw error
}
