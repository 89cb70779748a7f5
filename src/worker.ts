import {
  completeClassifier,
  doubtTags,
  evaluateClasses,
  learnCategories,
  learnClasses,
  prepareClasses,
} from './classification/tasks.ts'
import { compact } from './fulltext/segments/compaction.ts'
import { trainTopics } from './fulltext/topics/training.ts'
import { dispatcher } from './jobs/dispatch.ts'
import { analyzeShipment, buildIndex } from './live/index-builder.ts'
import { mapDocuments } from './mapping/tasks.ts'
import { findMistakes, profileDocuments } from './profile/tasks.ts'
import { listNeighbours, weighDocuments } from './similarity/tasks.ts'
import { checkTables } from './store/leveldb/files.ts'
import { countWords, readWords } from './word-counts/counting-tasks.ts'

// What runs beside the main thread: pure functions of what they are sent.
const tasks = {
  analyzeShipment,
  buildIndex,
  compact,
  trainTopics,
  checkTables,
  prepareClasses,
  learnClasses,
  completeClassifier,
  evaluateClasses,
  doubtTags,
  learnCategories,
  weighDocuments,
  listNeighbours,
  readWords,
  countWords,
  profileDocuments,
  findMistakes,
  mapDocuments,
}

export type WorkerTasks = typeof tasks

export const perform = dispatcher(tasks)
