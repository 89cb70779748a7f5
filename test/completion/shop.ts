import { onTestFinished } from 'vitest'
import { LiveCompletions } from '../../src/completion/dataset/live-completions.ts'
import { Documents } from '../../src/datasets/documents.ts'
import { DatasetRegistry } from '../../src/datasets/registry.ts'
import { StoredTagTree } from '../../src/datasets/tags/stored-tag-tree.ts'
import { TagPaths } from '../../src/datasets/tags/tag-paths.ts'
import { Tags } from '../../src/datasets/tags/tags.ts'
import { WorkerPool } from '../../src/jobs/pool.ts'
import { JobRunner } from '../../src/jobs/runner.ts'
import { StoredJobs } from '../../src/jobs/stored-jobs.ts'
import { defaultDocumentLimits } from '../../src/json.ts'
import type { Database } from '../../src/store/database.ts'
import { Store } from '../../src/store/store.ts'
import type { CountingTasks } from '../../src/word-counts/counting-tasks.ts'
import { DatasetWordCounts } from '../../src/word-counts/dataset-word-counts.ts'
import { workerUrl } from '../worker-url.ts'

/** A dataset with its completions, which hear of every commit. */
export async function openShop(database?: string | Database) {
  const store = await Store.open({
    store: database,
    durability: 'process',
    memoryBudget: 2 ** 26,
    onDamage: () => undefined,
  })
  onTestFinished(() => store.close())
  const clock = () => 0
  const readFile = () => Promise.reject(new Error('it holds no files'))
  const registry = new DatasetRegistry(store, clock)
  const state = registry.has('shop')
    ? registry.get('shop')
    : await registry.create('shop', { interpretedFields: ['title', 'desc'] })
  const jobs = new JobRunner({ store: new StoredJobs(store), clock, newId: () => 'job', unheard: () => {} })
  const tree = new StoredTagTree(store, state)
  const steps = { areHandedOver: false, write: () => Promise.reject(new Error('no job has steps')) }
  const documents = new Documents(() => ({
    store,
    state,
    jobs,
    steps,
    pathTags: separator => new TagPaths(tree, separator),
    clock,
    readFile,
    readSheet: readFile,
    limits: defaultDocumentLimits,
  }))
  const pool = new WorkerPool<CountingTasks>({ url: workerUrl })
  const words = new DatasetWordCounts({ store, state, tags: tree, jobs, pool })
  const tags = new Tags(() => ({ store, state, jobs, steps, tree, words }))
  const completions = new LiveCompletions({ store, state, tags: tree })
  store.onCommit(changes => {
    const followed = completions.follow(changes.filter(({ dataset }) => dataset === state.dataset))
    return new Map(followed && [[state.dataset, followed]])
  })
  const complete = (text: string, limit = 10) =>
    completions.complete(text, { limit, kinds: ['title', 'tag'], typoTolerance: 1 })
  const texts = async (text: string, limit = 10) => (await complete(text, limit)).map(found => found.text)
  return { store, registry, state, documents, tags, completions, complete, texts }
}
