import { dispatcher } from './jobs/dispatch.ts'

// A thread mostly does one kind of work, and loads only the code of that.
const indexing = () => import('./live/index-builder.ts')
const classifying = () => import('./classification/tasks.ts')
const comparing = () => import('./similarity/tasks.ts')
const counting = () => import('./word-counts/counting-tasks.ts')
const profiling = () => import('./profile/tasks.ts')

// What runs beside the main thread: pure functions of what they are sent.
const tasks = {
  analyzeShipment: async () => (await indexing()).analyzeShipment,
  buildIndex: async () => (await indexing()).buildIndex,
  compact: async () => (await import('./fulltext/segments/compaction.ts')).compact,
  trainTopics: async () => (await import('./fulltext/topics/training.ts')).trainTopics,
  checkTables: async () => (await import('./store/leveldb/files.ts')).checkTables,
  prepareClasses: async () => (await classifying()).prepareClasses,
  learnClasses: async () => (await classifying()).learnClasses,
  completeClassifier: async () => (await classifying()).completeClassifier,
  evaluateClasses: async () => (await classifying()).evaluateClasses,
  doubtTags: async () => (await classifying()).doubtTags,
  learnCategories: async () => (await classifying()).learnCategories,
  weighDocuments: async () => (await comparing()).weighDocuments,
  listNeighbours: async () => (await comparing()).listNeighbours,
  readWords: async () => (await counting()).readWords,
  countWords: async () => (await counting()).countWords,
  profileDocuments: async () => (await profiling()).profileDocuments,
  findMistakes: async () => (await profiling()).findMistakes,
  mapDocuments: async () => (await import('./mapping/tasks.ts')).mapDocuments,
}

export type WorkerTasks = { [Name in keyof typeof tasks]: Awaited<ReturnType<(typeof tasks)[Name]>> }

export const perform = dispatcher(tasks)
