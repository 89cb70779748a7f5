// The client, and what its calls resolve to

export type * from './api/models.ts'
export { type TypingOptions, TypingSession, type TypingState } from './as-you-type.ts'
export { Client, createClient } from './client.ts'
export type { Configuration, Credential } from './configuration.ts'
export { type CallOptions, Connection } from './connection.ts'
export { DatasetSearch, type PartialSearch } from './dataset-search.ts'
export type { Rows } from './json-lines.ts'
// One class for each resource, for programs that need only a few: each is created from a Connection
export { Analytics } from './resources/analytics.ts'
export { DataSets } from './resources/data-sets.ts'
export { Dataset } from './resources/dataset.ts'
export {
  type ChangesOptions,
  Documents,
  type ExportOptions,
  type ImportColumn,
  type ImportOptions,
} from './resources/documents.ts'
export { Files, Installation, Keys, Statistics } from './resources/installation.ts'
export { type Awaited, Processes, type ProcessesAsked, type WaitOptions } from './resources/processes.ts'
export { ClassifierServices, PrcServices, SearchServices, Services } from './resources/services.ts'
export { type TagDetails, type TagRemoval, Tags } from './resources/tags.ts'
export {
  CallError,
  type ErrorsModel,
  type Failure,
  type FailureKind,
  type Result,
  type Success,
  unwrap,
} from './result.ts'
