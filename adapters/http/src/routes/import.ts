import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { exampleRows } from '../sample/example.ts'
import { HttpError } from '../transport/errors.ts'
import { cellReader } from '../wire/cells.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'

/** Separator of a CSV by content type; of the other types each line is a document as JSON. */
const delimiters = new Map([
  ['text/csv', ','],
  ['text/tab-separated-values', '\t'],
])

/**
 * Contract, 20. The answer comes when the body has been read to its end, which the client is busy with until then
 * anyway; meanwhile the process is listed and can be cancelled.
 */
export function importRoute(processes: Processes): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/Documents/Import',
    action: 'DocumentsImport/Post',
    summary: 'Stores documents as they stream in; what is refused costs only itself',
    extension: true,
    dataset: true,
    writes: true,
    example: { body: exampleRows },
    stream: ['application/x-ndjson', 'application/jsonl', ...delimiters.keys()],
    responses: { 202: { when: 'The process that did it', body: Process } },
    handle: async ({ engine, dataset, stream, headers, base, signal }) => {
      const { documents, schema } = engine.datasets.get(dataset)
      const job = documents.import(stream ?? [], {
        ...formatOf(headers),
        convert: cellReader(schema),
        signal,
      })
      await processes.follow(engine, job, [])
      await job.finished.catch(refuseHttpError)
      return { status: 202, body: await processes.model(engine, job.state, base) }
    },
  })
}

function formatOf(headers: Headers): { format: 'csv'; delimiter: string } | { format: 'jsonl' } {
  const type = headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  const delimiter = delimiters.get(type)
  return delimiter ? { format: 'csv', delimiter } : { format: 'jsonl' }
}

/** A body that is too large or breaks off is the request's error; why else the job failed, the process tells. */
function refuseHttpError(error: unknown): void {
  if (error instanceof HttpError) throw error
}
