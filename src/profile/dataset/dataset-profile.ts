import { doubtfulTags } from '../../classification/dataset/doubtful-tags.ts'
import { learntFormOf } from '../../classification/dataset/model-training.ts'
import { compressionOf, usualNGrams } from '../../classification/options.ts'
import type { LearningTasks } from '../../classification/tasks.ts'
import { sampledDocuments } from '../../datasets/document-sample.ts'
import type { DatasetState } from '../../datasets/state.ts'
import type { StoredTagTree } from '../../datasets/tags/stored-tag-tree.ts'
import { withDocuments } from '../../derived/generations/documents-to-worker.ts'
import { parseInput } from '../../input.ts'
import type { Job, JobBody, Progress } from '../../jobs/job.ts'
import type { WorkerPool } from '../../jobs/pool.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import { sealText } from '../../store/checksum.ts'
import { profileKey } from '../../store/keyspace.ts'
import type { Store } from '../../store/store.ts'
import {
  type ContradictedTag,
  doubtfulTag,
  duplicate,
  isConfident,
  unusualNumber,
} from '../model/mistakes.ts'
import type { DatasetProfile } from '../model/profile.ts'
import { profileOptions } from '../options.ts'
import type { FirstReading, ProfileTasks } from '../tasks.ts'
import type { LiveCounts } from './live-counts.ts'

export interface ProfileContext {
  readonly store: Store
  readonly state: DatasetState
  readonly tags: StoredTagTree
  readonly jobs: JobRunner
  readonly pool: WorkerPool<ProfileTasks & LearningTasks>
  readonly clock: () => number
  readonly counts: LiveCounts
}

interface Reading {
  readonly settings: DatasetState['settings']
  readonly root: DatasetState['schema']['root']
  readonly signal: AbortSignal
}

/** Maximum number of doubtful tags reported. */
const MOST_DOUBTFUL = 100

/** Reads all documents in a worker thread, again if some may be unusual or duplicates, and some to judge their tags. */
export function profiling(context: ProfileContext, given: unknown): Job<DatasetProfile> {
  const { crossTables, judged: most, signal, onProgress } = parseInput(profileOptions, given, 'options')
  const { store, state, jobs, clock, pool } = context
  state.assertThere()
  const body: JobBody<DatasetProfile> = async function* ({ signal }) {
    const [at, seq] = [clock(), store.seq]
    const { settings } = state
    const reading: Reading = { settings, root: state.schema.root, signal }
    const tree = await context.tags.current()
    const tags = await inStretches(tree.sorted())
    const first = yield* withDocuments(
      context,
      (port, how) =>
        pool.run('profileDocuments', { settings, root: reading.root, port, tags, crossTables }, how),
      { phase: 'profiling', share: [0, 0.5], signal },
    )
    const { profiled, repetitions, tellingFields } = first
    const { unusual, sameWords } = yield* secondReading(context, reading, first)
    const searched = settings.interpretedFields.filter(field => !tellingFields.includes(field))
    const { tagged, unknown } = profiled.tags
    const isJudged = most > 0 && searched.length > 0 && (tagged > 0 || unknown.length > 0)
    const { judged, doubtful } = isJudged
      ? yield* judging(context, reading, searched, most)
      : { judged: 0, doubtful: [] }
    const names = new Map(tags.map(({ id, name }) => [id, name]))
    const named = (id: string) => names.get(id) || id
    const profile: DatasetProfile = {
      dataset: state.name,
      at,
      seq,
      ...profiled,
      unusual,
      mistakes: [
        ...doubtful.map(one => doubtfulTag(one, tellingFields, named)),
        ...sameWords.map(duplicate),
        ...unusual.map(one => unusualNumber(one, named)),
      ],
      judged,
      tellingFields,
      duplicates: {
        groups: repetitions.groups,
        acrossTags: repetitions.acrossTags,
        exact: repetitions.exact,
      },
    }
    yield { done: 1, total: 1, phase: 'storing' }
    await keep(context, profile)
    return profile
  }
  return jobs.start('profile', `Profiling ${state.name}`, body, {
    signal,
    onProgress,
    datasets: [state.name],
  })
}

/** The last finished profile with current counts; undefined if there is none. It moves with the dataset. */
export async function latestProfile({
  store,
  state,
  counts,
}: ProfileContext): Promise<DatasetProfile | undefined> {
  state.assertThere()
  const stored = await store.get(profileKey(state.dataset))
  if (!stored) return undefined
  const current = await counts.current()
  // Many calls may wait for the same count.
  const stretch = new Stretch(undefined, store.turn)
  while (stretch.isOver) await stretch.pause()
  const profile = JSON.parse(stored.toString()) as DatasetProfile
  return { ...profile, dataset: state.name, current: counts.inOrderOf(profile, current) }
}

async function keep({ store, state }: ProfileContext, profile: DatasetProfile): Promise<void> {
  const key = profileKey(state.dataset)
  const value = sealText(key, JSON.stringify(profile))
  await store.writeWhenRoom({
    reads: [],
    bytes: value.byteLength,
    apply(transaction) {
      transaction.dataset(state.dataset)
      transaction.put(key, value)
    },
  })
}

async function* secondReading(
  context: ProfileContext,
  { settings, root, signal }: Reading,
  { usual, repetitions }: FirstReading,
): AsyncGenerator<Progress, Awaited<ReturnType<ProfileTasks['findMistakes']>>> {
  const hasRanges = [...usual.values()].some(ranges => ranges.size > 0)
  if (!hasRanges && repetitions.groups === 0) return { unusual: [], sameWords: [] }
  return yield* withDocuments(
    context,
    (port, how) => context.pool.run('findMistakes', { settings, root, port, usual, repetitions }, how),
    { reading: 'looking for mistakes', phase: 'looking for mistakes', share: [0.5, 0.75], signal },
  )
}

/** Learns from four fifths of some documents at a time, from fields that do not give away the tag, and judges the rest. */
async function* judging(
  context: ProfileContext,
  { signal }: Reading,
  fields: readonly string[],
  most: number,
): AsyncGenerator<Progress, { judged: number; doubtful: ContradictedTag[] }> {
  const asked = { tags: null, nGrams: usualNGrams, compression: compressionOf(0), fields: [...fields] }
  const form = await learntFormOf(context, asked)
  // Parts of words would take ten times as long, and only clear doubts are reported anyway.
  const learnt = { ...form, characters: false }
  const documents = sampledDocuments(context, most, signal)
  const { judged, doubtful } = yield* doubtfulTags(context, learnt, MOST_DOUBTFUL, {
    documents,
    reading: 'judging tags',
    phase: 'judging tags',
    share: [0.75, 1],
    signal,
  })
  return { judged, doubtful: doubtful.filter(isConfident) }
}
