import type { JobState, JobStatus } from 'findling'
import * as z from 'zod'
import { withSettingNames } from '../http/setting-names.ts'
import { toWire } from './casing.ts'
import { timeText } from './rules.ts'

/** Clients of 1.5.0 know only these types: a process of any other type makes their whole list fail. */
const typesOfContract = [
  'ClassifierPrepare',
  'ClassifierActivate',
  'ClassifierExportDictionaries',
  'PrcPrepare',
  'PrcActivate',
  'PrcIndex',
  'PrcIndexPartial',
  'PrcExportDictionaries',
  'TagsExportWords',
  'DocumentsCopy',
  'DocumentsMove',
  'SearchPrepare',
  'SearchActivate',
] as const
const typesOfExtensions = [
  'DocumentsImport',
  'DataSetsReconfigure',
  'DataSetsOptimize',
  'DataSetsTrainClassifier',
  'DataSetsEvaluateClassifier',
  'DataSetsDoubtfulTags',
  'DataSetsProfile',
  'MaintenanceBackup',
  'DocumentsDuplicates',
] as const
const types = [...typesOfContract, ...typesOfExtensions] as const

export type ProcessType = (typeof types)[number]

export function isOfContract(type: ProcessType): boolean {
  return (typesOfContract as readonly ProcessType[]).includes(type)
}

/** The wire names of the engine's job statuses. */
const processStatuses = {
  running: 'InProgress',
  cancelling: 'Cancelling',
  cancelled: 'Cancelled',
  finished: 'Finished',
  failed: 'Error',
} as const satisfies Record<JobStatus, string>

/** Cancelled is what somebody asked for; a job that the end of the server stopped has an error (contract, 14). */
export const processStatus = ({ error, status }: JobState) =>
  error ? processStatuses.failed : processStatuses[status]

/** Contract, 11.1. */
export const Process = z
  .object({
    Id: z.guid(),
    Start: z.string(),
    End: z.string().describe('0001-01-01T00:00:00 until the process ends'),
    Percent: z.number().min(0).max(100),
    Description: z.string(),
    Status: z.enum(Object.values(processStatuses)),
    Type: z.enum(types),
    ErrorMessages: z.array(z.string()),
    ResultMessage: z.string().nullable().describe('Its last line may be a link'),
  })
  .meta({ id: 'Process' })

export const fileStarted = {
  when: 'The started process; its ResultMessage will contain the link to the file',
  body: Process,
}

export const ProcessesQuery = z.object({
  allStatus: z.boolean().default(false).describe('true: includes processes that are no longer in progress'),
  allTime: z.boolean().default(false).describe('true: includes processes that started more than 30 days ago'),
  extensions: z
    .boolean()
    .default(false)
    .describe(
      'true: includes imports, reconfigurations, optimizations, backups, duplicates, profiles and classifiers of datasets, whose process types are not in 1.5.0',
    )
    .meta({ 'x-extension': true }),
})

export function processModel(
  job: JobState,
  { type, message, problems }: { type: ProcessType; message: string | null; problems: readonly string[] },
): z.output<typeof Process> {
  const { id, startedAt, endedAt, percent, description, error } = job
  return toWire({
    id,
    start: timeText(startedAt),
    end: timeText(endedAt),
    percent,
    description,
    status: processStatus(job),
    type,
    errorMessages: error
      ? ['The process failed.', ...withSettingNames(error.message).split('\n')]
      : [...problems],
    resultMessage: message,
  })
}
