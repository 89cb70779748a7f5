import { dispatcher } from '../jobs/dispatch.ts'
import { readFile } from './reading.ts'

// The tasks of threads that read files. They are separate from those that train and index, because a file may end its thread.
export type ExtractionTasks = { readFile: typeof readFile }

export const perform = dispatcher({ readFile: async () => readFile })
