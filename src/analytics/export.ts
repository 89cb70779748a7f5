import type { CallLog } from './call-log.ts'
import { type CallEntry, isEvent, type RecordedEntry } from './model/entries.ts'
import type { AnalyticsRow } from './model/figures.ts'

/** Rows in one part of the text. */
const ROWS_AT_ONCE = 1000

type Column = keyof AnalyticsRow

/** Names and order of the columns. */
const allColumns = [
  ...['at', 'type', 'dataset', 'service', 'queryId', 'user', 'key', 'tags', 'text', 'total', 'took'],
  ...['corrected', 'relaxed', 'shown', 'id', 'position', 'value'],
] as readonly Column[]

/** The selected calls of datasets, and what was done with their answers, as text. */
export async function* callRowsAsText(
  logs: readonly (readonly [dataset: string, log: CallLog])[],
  { format, queryIds }: { readonly format: 'csv' | 'jsonl'; readonly queryIds: boolean },
  isMeant: (entry: RecordedEntry) => boolean,
): AsyncGenerator<string> {
  const columns = allColumns.filter(name => queryIds || name !== 'queryId')
  if (format === 'csv') yield `${columns.join(',')}\r\n`
  const written = (row: AnalyticsRow) =>
    format === 'csv' ? asCsv(row, columns) : `${JSON.stringify(row, columns)}\n`
  for (const [dataset, log] of logs) {
    const ids = new QueryIds(log)
    let text = ''
    let rows = 0
    for await (const entries of log.entries()) {
      for (const entry of entries) {
        if (!isMeant(entry)) continue
        text += written(await rowOf(entry, dataset, ids))
        if (++rows % ROWS_AT_ONCE > 0) continue
        yield text
        text = ''
      }
    }
    if (text !== '') yield text
  }
}

/** The `queryId` of the answer of a call. */
export const queryIdOf = (dataset: number, n: number, token: string): string =>
  `${dataset.toString(36)}.${n.toString(36)}.${token}`

/** The queryIds of the calls of events; consecutive events often have the same call. */
class QueryIds {
  readonly #log: CallLog

  constructor(log: CallLog) {
    this.#log = log
  }

  of({ n, token }: CallEntry): string {
    return queryIdOf(this.#log.dataset, n, token)
  }

  async at(n: number): Promise<string> {
    const call = await this.#log.callAt(n)
    return call ? this.of(call) : ''
  }
}

async function rowOf(entry: RecordedEntry, dataset: string, ids: QueryIds): Promise<AnalyticsRow> {
  const { kind, user, text = null } = entry
  const common = {
    dataset,
    service: kind.service ?? null,
    user: user === undefined ? null : user.toString(36),
    tags: [...(kind.tags ?? [])],
    text,
  }
  if (isEvent(entry)) {
    const { done: at, type, of, id, place: position = null, value = null } = entry
    const none = { key: null, total: null, took: null, corrected: null, relaxed: null, shown: null }
    return { ...common, ...none, at, type, queryId: await ids.at(of), id, position, value }
  }
  const { at, key = null, total, took, corrected = false, relaxed = false, shown } = entry
  const none = { id: null, position: null, value: null }
  const call = { at, type: kind.call, key, total, took, corrected, relaxed, shown: shown.length }
  return { ...common, ...none, ...call, queryId: ids.of(entry) }
}

const asCsv = (row: AnalyticsRow, columns: readonly Column[]): string =>
  `${columns.map(name => cellOf(row[name])).join(',')}\r\n`

function cellOf(value: AnalyticsRow[keyof AnalyticsRow]): string {
  if (value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : value.join(' ')
  // A spreadsheet program would take it for a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
