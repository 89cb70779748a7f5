import type { Cost, Rate } from './measure.ts'
import { short, table, times } from './report.ts'
import { atOnce, inBulk } from './sizes.ts'
import type { StoreResults } from './store.ts'
import type { CallFigures, ImportFigures } from './store-measurements.ts'
import type { Wait, WaitFigures } from './store-waits.ts'

export function storeReport({
  documents,
  disk,
  process,
  import: imported,
  minisearch,
  waits,
}: StoreResults): string {
  return [
    '### store: calls on one dataset, documents indexed as they are written',
    callTable(disk, process),
    `### store: ${documents} documents, ${short(imported.fileBytes / 1e6)} MB of JSON lines`,
    importTable(documents, imported, minisearch),
    reopenTable(imported),
    '### store: a write while an index is built or loaded',
    waitTable(waits),
  ].join('\n\n')
}

function callTable(disk: CallFigures, inProcess: CallFigures): string {
  const row = (name: string, size: number, of: (figures: CallFigures) => Rate) => [
    name,
    short(of(disk).perSecond * size),
    short(of(disk).p99),
    short(of(inProcess).perSecond * size),
    short(of(inProcess).p99),
  ]
  const scanned = ({ scan }: CallFigures) => short(scan.documents / scan.seconds)
  const rows = [
    row('insert, one after the other', 1, figures => figures.insert),
    row(`insert, ${atOnce} at once`, atOnce, figures => figures.concurrentInserts),
    row(`bulk of ${inBulk}`, inBulk, figures => figures.bulk),
    row(`write of ${inBulk}`, inBulk, figures => figures.written),
    row(`log entries of ${inBulk}, applied`, inBulk, figures => figures.applied),
    row('get', 1, figures => figures.get),
    row(`getMany of ${atOnce}`, atOnce, figures => figures.getMany),
    ['scan', scanned(disk), '', scanned(inProcess), ''],
  ]
  const headings = ['call', 'docs/s, "disk"', 'p99 ms of a call', 'docs/s, "process"', 'p99 ms of a call']
  return table(headings, rows)
}

function importTable(documents: number, { import: imported }: ImportFigures, minisearch: Cost): string {
  const row = (name: string, { seconds, cpuSeconds }: Cost) => [
    name,
    short(documents / seconds),
    times(minisearch.seconds / seconds),
    short(documents / cpuSeconds),
    times(minisearch.cpuSeconds / cpuSeconds),
  ]
  const rows = [
    row('import: parsed, stored on disk, indexed', imported),
    row('minisearch: indexed in memory', minisearch),
  ]
  return table(['whole catalogue', 'docs/s', 'x minisearch', 'docs/CPU-s', 'x minisearch'], rows)
}

function reopenTable({ reopening, indexing, storeBytes }: ImportFigures): string {
  const row = (name: string, { seconds, cpuSeconds }: Cost) => [
    name,
    short(seconds),
    short(cpuSeconds),
    times(indexing.seconds / seconds),
  ]
  const rows = [
    row('opened, index loaded', reopening),
    row('indexed anew from the stored documents', indexing),
  ]
  return table(
    [`to the first answer (${short(storeBytes / 1e6)} MB on disk)`, 'seconds', 'CPU-s', 'faster'],
    rows,
  )
}

function waitTable({ documents, quiet, absent, loading, building }: WaitFigures): string {
  const row = (name: string, { inserts, large, small }: Wait) => [
    name,
    String(inserts),
    short(large.p50),
    short(large.p99),
    short(small.p50),
    short(small.p99),
  ]
  const rows = [
    row('in memory, quiet', quiet),
    row('not in memory', absent),
    row('being loaded', loading),
    row('being built anew', building),
  ]
  const headings = [
    `the index of ${documents} documents is`,
    'inserts',
    'p50 ms into it',
    'p99 ms',
    'p50 ms beside it',
    'p99 ms',
  ]
  return table(headings, rows)
}
