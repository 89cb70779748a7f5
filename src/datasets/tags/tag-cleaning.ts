import { FindlingError } from '../../errors.ts'
import type { Job, JobBody, JobOptions } from '../../jobs/job.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import type { JsonObject } from '../../json.ts'
import type { DatasetNumber } from '../../store/dataset-number.ts'
import { documentKey } from '../../store/keyspace.ts'
import { datasetEntry } from '../../store/manifest.ts'
import type { Store } from '../../store/store.ts'
import type { Mutation, Transaction } from '../../store/transaction.ts'
import type { CleaningOperation, StepOperation, Steps } from '../job-steps.ts'
import { documentIn, recordIn } from '../record.ts'
import { checkId } from '../schema/ids.ts'
import type { DatasetState } from '../state.ts'
import { allDocuments } from '../stored-documents.ts'
import { putCleaned } from '../writes.ts'

/** The surroundings for removing dead tags from a dataset's documents. */
interface CleaningContext {
  store: Store
  state: DatasetState
  jobs: JobRunner
  steps: Steps
}

const CLEAN_BATCH = 200

/** Declares ids dead: from now on they are removed from the documents, even after a crash, unless somebody cancels that. */
export function declareDead(transaction: Transaction, dataset: DatasetNumber, ids: readonly string[]): void {
  const tagsToClean = [...new Set([...transaction.dataset(dataset).tagsToClean, ...ids])]
  transaction.setEntry(dataset, { tagsToClean })
}

/** Resumes cleaning for the ids that this engine or another has declared dead and that are not done. */
export function resumeCleaning(context: CleaningContext, watch: JobOptions = {}): Job<number> {
  return startCleaning(context, tagsToClean(context.store, context.state), { watch })
}

/** The ids that have been declared dead and are not done. */
export const tagsToClean = (store: Store, { dataset }: DatasetState): readonly string[] =>
  datasetEntry(store.manifest, dataset)?.tagsToClean ?? []

/**
 * Removes ids from all documents; the result is the number of changed documents.
 * @param declared ids that have been declared dead
 * @param find further ones, which the job declares first
 */
export function startCleaning(
  context: CleaningContext,
  declared: readonly string[],
  { find, watch }: { find?: (signal: AbortSignal) => Promise<readonly string[]>; watch?: JobOptions } = {},
): Job<number> {
  const { jobs, state } = context
  let ids = declared
  let stop: AbortSignal | undefined
  const work = async function* (signal: AbortSignal): ReturnType<JobBody<number>> {
    if (find) {
      ids = await find(signal)
      if (ids.length > 0) await take(context, { type: 'declareDeadTags', dataset: state.name, tags: ids })
    }
    return yield* clean(context, new Set(ids), signal)
  }
  const body: JobBody<number> = ({ signal }) => {
    stop = signal
    return work(signal)
  }
  const job = jobs.start('clean-tags', `Removing dead tags from the documents of ${state.name}`, body, {
    ...watch,
    datasets: [state.name],
  })
  job.ended.then(async () => {
    if (job.state.status !== 'cancelled' || isClosing(stop?.reason)) return
    // If this fails because the store failed or the dataset is gone, there is nothing left to write to.
    await forget(context, new Set(ids)).catch(() => undefined)
  })
  return job
}

/** Whether the engine is closing: the next open then resumes the cleaning. */
function isClosing(reason: unknown): boolean {
  return (
    reason instanceof FindlingError && reason.cause instanceof FindlingError && reason.cause.code === 'CLOSED'
  )
}

async function* clean(
  context: CleaningContext,
  dead: ReadonlySet<string>,
  signal: AbortSignal,
): ReturnType<JobBody<number>> {
  if (dead.size === 0) return 0
  const { store, state } = context
  const { documents: total } = store.counts(state.dataset)
  let [done, changed] = [0, 0]
  for await (const batch of allDocuments(context, { signal })) {
    const ids: string[] = []
    for (const [id, payload] of batch)
      if (state.rules.tagIds(recordIn(payload).document).some(tag => dead.has(tag))) ids.push(id)
    for (let at = 0; at < ids.length; at += CLEAN_BATCH)
      changed += await cleanSome(context, ids.slice(at, at + CLEAN_BATCH))
    done += batch.length
    yield { done, total, phase: 'cleaning' }
  }
  await forget(context, dead)
  return changed
}

async function cleanSome(context: CleaningContext, ids: readonly string[]): Promise<number> {
  return await take(context, { type: 'cleanDocuments', dataset: context.state.name, ids })
}

/** Hands over one step; returns the number of documents changed. */
async function take({ steps }: CleaningContext, operation: StepOperation): Promise<number> {
  const [outcome] = await steps.write([operation], '')
  if (outcome!.error) throw outcome!.error
  return outcome!.changed ?? 0
}

async function forget(context: CleaningContext, ids: ReadonlySet<string>): Promise<void> {
  await take(context, { type: 'forgetDeadTags', dataset: context.state.name, tags: [...ids] })
}

/** One step of the cleaning; the result is the number of documents that have lost a tag. */
export function cleaning(state: DatasetState, operation: CleaningOperation): Mutation<number> {
  const { dataset, name } = state
  if (operation.type === 'cleanDocuments') return withoutDead(state, idsIn(operation.ids, 'ids'))
  const tags = idsIn(operation.tags, 'tags')
  return {
    reads: [],
    bytes: tags.length * 64,
    apply(transaction) {
      const { tagsToClean } = transaction.dataset(dataset, name)
      if (operation.type === 'declareDeadTags') declareDead(transaction, dataset, tags)
      else {
        const over = new Set(tags)
        transaction.setEntry(dataset, { tagsToClean: tagsToClean.filter(id => !over.has(id)) })
      }
      return 0
    },
  }
}

const idsIn = (ids: readonly (string | number)[], list: string): string[] =>
  ids.map((id, i) => checkId(id, `${list}[${i}]`))

function withoutDead({ dataset, name, settings }: DatasetState, ids: readonly string[]): Mutation<number> {
  const { tagField } = settings
  return {
    reads: ids.map(id => documentKey(dataset, id)),
    bytes: ids.length * 512,
    *apply(transaction) {
      const dead = new Set(transaction.dataset(dataset, name).tagsToClean)
      let changed = 0
      for (const id of ids) {
        const value = transaction.read(documentKey(dataset, id))
        const document = value && documentIn(value)
        if (!document || !removeTags(document, tagField, dead)) continue
        yield* putCleaned(transaction, dataset, id, document)
        changed++
      }
      return changed
    },
  }
}

/** Removes the ids from a list; a single tag becomes the empty text. False when there was nothing to remove. */
function removeTags(document: JsonObject, tagField: string, dead: ReadonlySet<string>): boolean {
  const value = document[tagField]
  if (Array.isArray(value)) {
    const alive = value.filter(id => !dead.has(String(id)))
    document[tagField] = alive
    return alive.length < value.length
  }
  if (value === null || value === undefined || !dead.has(String(value))) return false
  document[tagField] = ''
  return true
}
