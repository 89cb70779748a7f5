import * as z from 'zod'
import type { Route } from '../route.ts'
import { defineRoute } from './define-route.ts'

const ExportQuery = z.strictObject({
  format: z.enum(['jsonl', 'csv']).default('jsonl'),
  columns: z.string().optional().describe('Of a CSV: paths of fields, separated by commas'),
})

const contentTypes = { jsonl: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' }

/** Contract, 20. */
export const exportRoute: Route = defineRoute({
  method: 'GET',
  path: '/api/Documents/Export',
  action: 'DocumentsExport/Get',
  summary: 'Streams all documents of one moment',
  extension: true,
  dataset: true,
  query: ExportQuery,
  example: { query: { format: 'csv', columns: 'id,title,price' } },
  responses: {
    200: { when: 'JSON lines, or a CSV', types: ['application/x-ndjson', 'text/csv'] },
  },
  handle: async ({ engine, dataset, query, signal }) => {
    const { format } = query
    const columns = query.columns ? { columns: query.columns.split(',') } : {}
    const { documents } = engine.datasets.get(dataset)
    const text = documents.export({ format, ...columns, signal })
    const stream = ReadableStream.from(text).pipeThrough(new TextEncoderStream())
    return { status: 200, stream, headers: { 'Content-Type': contentTypes[format] } }
  },
})
