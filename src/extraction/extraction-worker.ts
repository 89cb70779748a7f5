import { dispatcher } from '../jobs/dispatch.ts'
import { readFile } from './reading.ts'

// What runs in the threads that read files, apart from those that train and index: a file may end its thread.
const tasks = { readFile }

export type ExtractionTasks = typeof tasks

export const perform = dispatcher(tasks)
