import type {
  BackupReport,
  ClassifierQuality,
  DoubtfulTag,
  ImportReport,
  JobState,
  TagClassifier,
  TransferReport,
  WordExportReport,
} from 'findling'
import { type AllBackupsReport, allBackupsKind } from '../backups/backups.ts'
import { withSettingNames } from '../http/setting-names.ts'
import { type BulkResult, stored } from '../wire/bulk.ts'
import { doubtsFile, qualityFile } from '../wire/classify.ts'
import type { ProcessType } from '../wire/processes.ts'

/** How a kind of engine jobs is named on the wire, and what it reports once finished. */
export interface ProcessKind {
  readonly type: ProcessType
  /** One sentence. */
  sentence(job: JobState): string
  /** Partial failures of a finished job. */
  problems?(job: JobState): string[]
  /** Extension of the file that it writes. Default json. */
  readonly file?: 'json' | 'zip'
  /** Content of the linked file; results for single documents list the worst first. */
  report?(job: JobState, ids: readonly string[]): object
}

/** Maximum number of named fields that give the tag away. */
const MOST_TELLING = 3

const done = (type: ProcessType): ProcessKind => ({
  type,
  sentence: ({ description }) => `${description}: done.`,
})

/**
 * The kinds of jobs that users start, and those that may block them, such as an index that optimizes itself. All others are
 * internal.
 */
export const processKinds: ReadonlyMap<string, ProcessKind> = new Map<string, ProcessKind>([
  ['copy', { type: 'DocumentsCopy', sentence: transferSentence, report: transferReport }],
  ['move', { type: 'DocumentsMove', sentence: transferSentence, report: transferReport }],
  [
    'import',
    {
      type: 'DocumentsImport',
      sentence: importSentence,
      problems: importProblems,
      report: importReport,
    },
  ],
  ['classifier-prepare', done('ClassifierPrepare')],
  ['classifier-activate', done('ClassifierActivate')],
  ['classifier-export', { ...done('ClassifierExportDictionaries'), file: 'zip' }],
  ['similar-prepare', done('PrcPrepare')],
  ['similar-activate', done('PrcActivate')],
  ['similar-index', done('PrcIndex')],
  ['similar-index-partial', done('PrcIndexPartial')],
  ['similar-export', { ...done('PrcExportDictionaries'), file: 'zip' }],
  ['words', { type: 'TagsExportWords', sentence: wordsSentence, file: 'zip' }],
  ['duplicates', done('DocumentsDuplicates')],
  ['search-prepare', done('SearchPrepare')],
  ['search-activate', done('SearchActivate')],
  ['classifier', { type: 'DataSetsTrainClassifier', sentence: trainingSentence }],
  [
    'classifier-evaluation',
    {
      ...done('DataSetsEvaluateClassifier'),
      report: ({ result }) => qualityFile(result as ClassifierQuality),
    },
  ],
  [
    'classifier-doubts',
    {
      ...done('DataSetsDoubtfulTags'),
      report: ({ result }) => doubtsFile(result as DoubtfulTag[]),
    },
  ],
  ['profile', done('DataSetsProfile')],
  ['reconfigure', done('DataSetsReconfigure')],
  ['optimize', done('DataSetsOptimize')],
  ['backup', { type: 'MaintenanceBackup', sentence: backupSentence }],
  [allBackupsKind, { type: 'MaintenanceBackup', sentence: allBackupsSentence }],
])

export function kindOf({ kind }: Pick<JobState, 'kind'>): ProcessKind | undefined {
  return processKinds.get(kind)
}

function wordsSentence(job: JobState): string {
  const { tags } = job.result as WordExportReport // this kind's result type
  return `${job.description}: ${tags} ${tags === 1 ? 'tag' : 'tags'}.`
}

/** Names fields that alone give the tag away: they mask what the other fields say. */
function trainingSentence({ description, result }: JobState): string {
  // The classifier itself or, after a restart, its stored form.
  const trained = result as TagClassifier | ReturnType<TagClassifier['toJSON']>
  const { tellingFields = [] } = 'toJSON' in trained ? trained.toJSON() : trained
  const shown = tellingFields.slice(0, MOST_TELLING)
  const hints = shown.map(
    ({ field, share }) =>
      ` The field ${field} alone gives away the tag (${Math.round(share * 100)} %): train without it, using FieldList.`,
  )
  return `${description}: done.${hints.join('')}`
}

function backupSentence(job: JobState): string {
  // This kind's result type.
  const { entries, written, full } = job.result as BackupReport
  return `${job.description}: ${entries} entries, ${full ? 'all of them' : 'only changes'} written in ${written} bytes.`
}

function allBackupsSentence({ description, result }: JobState): string {
  const { stores, written } = result as AllBackupsReport // this kind's result type
  return `${description}: ${stores} ${stores === 1 ? 'store' : 'stores'}, ${written} bytes written.`
}

function transferSentence(job: JobState): string {
  const { transferred, failed } = transferIn(job)
  return `${job.description}: ${transferred} succeeded, ${failed.length} failed.`
}

/** @param ids of the documents that existed when the job began */
function transferReport(job: JobState, ids: readonly string[]): BulkResult[] {
  const { failed } = transferIn(job)
  const refused = new Set(failed.map(({ id }) => id))
  return [
    ...failed.map(({ id, message }) => ({ StatusCode: 406, Id: id, Error: withSettingNames(message) })),
    ...ids.filter(id => !refused.has(id)).map(stored),
  ]
}

function importSentence(job: JobState): string {
  const report = importIn(job)
  const rows = report.rows === 1 ? 'row' : 'rows'
  return `${job.description}: ${report.rows} ${rows}, ${report.stored} stored, ${report.failed} failed.`
}

const mostReasons = 10

/** The number of failed rows with the first reasons, then doubtful values. */
function importProblems(job: JobState): string[] {
  return [...importFailures(job), ...importDoubts(job)]
}

/** Values that may have been meant differently than they were read. */
function importDoubts(job: JobState): string[] {
  const doubts = importIn(job).reading?.doubts ?? []
  return doubts
    .slice(0, mostReasons)
    .map(
      ({ column, line, value, count, problem }) => `${column}, line ${line}: ${value} ${problem} (${count}).`,
    )
}

function importFailures(job: JobState): string[] {
  const { rows, failed, errors } = importIn(job)
  if (failed === 0) return []
  const first = errors.slice(0, mostReasons).map(({ line, message: told }) => {
    const message = withSettingNames(told)
    return message.startsWith(`line ${line} `) ? message : `line ${line}: ${message}`
  })
  return [`${failed} of ${rows} rows failed.`, ...first]
}

function importReport(job: JobState): object[] {
  return importIn(job).errors.map(({ line, id, message }) => ({
    StatusCode: 400,
    Id: id,
    Error: withSettingNames(message),
    Line: line,
  }))
}

// A finished job has the result type of its kind.
const transferIn = ({ result }: JobState) => result as TransferReport
const importIn = ({ result }: JobState) => result as ImportReport
