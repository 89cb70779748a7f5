import { compact } from './fulltext/segments/compaction.ts'
import { dispatcher } from './jobs/dispatch.ts'
import { analyzeShipment, buildIndex } from './live/index-builder.ts'
import { checkTables } from './store/leveldb/files.ts'

// What runs beside the main thread: pure functions of what they are sent.
const tasks = { analyzeShipment, buildIndex, compact, checkTables }

export type WorkerTasks = typeof tasks

export const perform = dispatcher(tasks)
