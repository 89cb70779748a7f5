import * as z from 'zod'
import type { Route } from '../route.ts'
import { defineRoute } from './define-route.ts'
import { streamOf } from './streamed-text.ts'

const ExportQuery = z.strictObject({
  format: z.enum(['jsonl', 'csv', 'json']).default('jsonl'),
  columns: z
    .string()
    .optional()
    .describe(
      'For CSV: paths of the fields to write, separated by commas. Default: all that an import needs',
    ),
})

const contentTypes = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/** Contract, 20. */
export const exportRoute: Route = defineRoute({
  method: 'GET',
  path: '/api/Documents/Export',
  action: 'DocumentsExport/Get',
  summary: 'Streams all documents as of one moment',
  extension: true,
  dataset: true,
  query: ExportQuery,
  example: { query: { format: 'csv', columns: 'id,title,price' } },
  responses: {
    200: {
      when: 'JSON lines, CSV, or one JSON list',
      types: ['application/x-ndjson', 'text/csv', 'application/json'],
    },
    400: { when: 'One of the columns is in no document' },
  },
  handle: async ({ engine, dataset, query, signal }) => {
    const { format } = query
    const columns = query.columns ? { columns: query.columns.split(',') } : {}
    const { documents } = engine.datasets.get(dataset)
    const text = documents.export({ format, ...columns, signal })
    const stream = await streamOf(text)
    return { status: 200, stream, headers: { 'Content-Type': contentTypes[format] } }
  },
})
