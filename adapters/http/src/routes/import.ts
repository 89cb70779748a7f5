import type { ImportColumns, ImportOptions } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { exampleRows } from '../sample/example.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'

/** How a body is read, by content type; for all other types, each line is a document as JSON. */
const formats = new Map<string, Pick<ImportOptions, 'format' | 'delimiter'>>([
  ['application/json', { format: 'json' }],
  ['text/csv', { format: 'csv' }],
  ['text/tab-separated-values', { format: 'csv', delimiter: '\t' }],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', { format: 'xlsx' }],
  ['application/vnd.oasis.opendocument.spreadsheet', { format: 'ods' }],
])

/** Below the 16 KB that Node.js allows for all headers, with the address. */
const MOST_OF_COLUMNS = 16_000

const ImportQuery = z.strictObject({
  delimiter: z
    .string()
    .regex(/^[^"\r\n\\]$/, 'one character other than a quote, a backslash or a line end')
    .optional()
    .describe('For CSV: the character that separates values. Default: guessed from the first line'),
  mode: z
    .enum(['upsert', 'insert', 'update'])
    .default('upsert')
    .describe('update: rows change the fields that they have; rows with an unknown id are refused'),
  encoding: z
    .string()
    .max(100)
    .optional()
    .describe(
      'Encoding of the text, such as windows-1252. Default: the charset of Content-Type, otherwise detected from the text',
    ),
  decimal: z
    .enum(['.', ','])
    .optional()
    .describe('For CSV: the decimal separator of numbers. Default: detected from the first rows'),
  columns: z
    .string()
    .max(MOST_OF_COLUMNS)
    .optional()
    .describe(
      'Fields and types of columns as a JSON object, by their names in the header, such as {"Preis (€)":"price:number","Intern":null}; other columns keep their names',
    ),
  guess: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether types of columns, ids and categories are guessed if nothing specifies them'),
  tagPath: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'Field with a path of names, such as Garden > Hoses, that becomes tags; missing tags are created',
    ),
  sheet: z
    .string()
    .max(1000)
    .optional()
    .describe('Name of the sheet of a spreadsheet. Default: the first sheet'),
})

/**
 * Contract, 20. The answer is sent once the whole body has been read, as the client is busy sending until then anyway;
 * meanwhile the process is listed and can be cancelled.
 */
export function importRoute(processes: Processes): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/Documents/Import',
    action: 'DocumentsImport/Post',
    summary: 'Stores documents as they stream in; invalid ones are refused, the others are stored',
    extension: true,
    dataset: true,
    writes: true,
    example: { body: exampleRows },
    query: ImportQuery,
    stream: ['application/x-ndjson', 'application/jsonl', ...formats.keys()],
    responses: { 202: { when: 'The process of the import', body: Process } },
    handle: async ({ engine, dataset, stream, headers, query, base, caller, signal }) => {
      const { documents } = engine.datasets.get(dataset)
      const { guess, columns, ...given } = query
      const told = {
        ...formatOf(headers),
        ...withoutMissing(given),
        ...(columns !== undefined && { columns: columnsIn(columns) }),
        guess: guess === 'true',
      }
      const job = documents.import(stream ?? [], { ...told, owner: caller.id, signal })
      await processes.follow(engine, job, [])
      await job.finished.catch(refuseHttpError)
      return await processes.started(job, { engine, base })
    },
  })
}

function formatOf(headers: Headers): Pick<ImportOptions, 'format' | 'delimiter' | 'encoding'> {
  const [type = '', ...parameters] = (headers.get('Content-Type') ?? '').split(';')
  const format = formats.get(type.trim().toLowerCase()) ?? { format: 'jsonl' }
  const charset = parameters.map(one => one.trim()).find(one => /^charset=/i.test(one))
  // Clients often send UTF-8 by default, whatever the real encoding is.
  const encoding = charset?.slice('charset='.length).replaceAll('"', '')
  return encoding && !/^utf-?8$/i.test(encoding) ? { ...format, encoding } : format
}

/** The engine checks what the object holds. */
function columnsIn(text: string): ImportColumns {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new HttpError(400, `columns is not valid JSON: ${why}; expected an object by names of columns`)
  }
}

/** Options that are not given are taken from the headers. */
const withoutMissing = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>

/** A body that is too large or breaks off is an error of the request; other failures of the job are reported by the process. */
function refuseHttpError(error: unknown): void {
  if (error instanceof HttpError) throw error
}
