import { compact } from './fulltext/compaction.ts'
import { dispatcher } from './jobs/dispatch.ts'
import { buildIndex } from './live/index-builder.ts'

// What runs beside the main thread: pure functions of what they are sent.
const tasks = { buildIndex, compact }

export type WorkerTasks = typeof tasks

export const perform = dispatcher(tasks)
