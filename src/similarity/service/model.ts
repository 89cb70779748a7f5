import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { compressionOf } from '../../classification/options.ts'
import { withDocuments } from '../../derived/generations/documents-to-worker.ts'
import { FindlingError } from '../../errors.ts'
import type { Progress } from '../../jobs/job.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import { tagsToLearn } from '../../services/prepared-tags.ts'
import type { Making, StoredParts } from '../../services/service-definition.ts'
import { similarityBlobs } from '../model/saved-similarity.ts'
import { SimilarityIndex } from '../model/similarity-index.ts'
import type { Prepared } from './settings.ts'

const schema = z.object({
  /** The dataset that it was made from, and the last change included. */
  dataset: z.number(),
  seq: z.number(),
  /** Searched fields at that time; the first is the title. */
  fields: z.array(z.string()),
  /** Tags, and how many documents with words each has. */
  tags: z.array(z.tuple([z.string(), z.number()])),
  blobs: z.array(z.string()),
  index: z.unknown(),
})

/** What is stored of a model beside its parts. */
export type Contents = z.output<typeof schema>

const indexPart = (name: string): string => `index-${name}`
const wordsPart = (tag: number): string => `words-${tag}`

/** Weighs the features of documents, in a worker thread. TAG_NOT_FOUND */
export async function* makeModel({
  dataset,
  settings,
  signal,
  keep,
}: Making<Pick<Prepared, 'compression'> & { tags?: readonly string[] | undefined }>): AsyncGenerator<
  Progress,
  { contents: Contents; prepared: Prepared }
> {
  const { state, documents, pool } = dataset
  const { seq } = documents.store
  const tree = await dataset.tags.tree.current()
  const { compression, tags: given } = settings
  if (given) tree.assertThere(given, 'tags')
  const form = {
    settings: state.settings,
    root: state.schema.root,
    tags: await tagsToLearn(given, tree),
    compression: compressionOf(compression),
  }
  const { saved, tags } = yield* withDocuments(
    documents,
    (port, how) => pool.run('weighDocuments', { form, port }, how),
    { phase: 'weighing', signal },
  )
  const parts = [
    ...Array.from(saved.blobs, ([name, bytes]) => [indexPart(name), bytes] as const),
    ...tags.map(({ words }, i) => [wordsPart(i), words] as const),
  ]
  for (const [done, [name, bytes]] of parts.entries()) {
    await keep(name, bytes)
    yield { done, total: parts.length, phase: 'storing' }
  }
  const contents = {
    dataset: state.dataset,
    seq,
    fields: [...state.settings.interpretedFields],
    tags: tags.map(({ id, documents }): [string, number] => [id, documents]),
    blobs: [...saved.blobs.keys()],
    index: saved.contents,
  }
  return { contents, prepared: { tags: tags.map(({ id }) => id), compression } }
}

export function readSimilarContents(stored: unknown): Contents {
  const { data } = schema.safeParse(stored)
  if (!data) throw corrupt()
  return data
}

/** Where changes have other numbers, all documents are read again when the model is loaded. */
export function adoptedContents(stored: unknown, dataset: number | undefined): Contents {
  const contents = readSimilarContents(stored)
  return dataset === undefined ? { ...contents, dataset: 0, seq: 0 } : { ...contents, dataset }
}

/** Whether they are of the tags that the settings name. STORE_CORRUPT, FORMAT_UNSUPPORTED */
export function areOf(stored: unknown, { tags }: Prepared): boolean {
  return isDeepStrictEqual(
    readSimilarContents(stored).tags.map(([id]) => id),
    tags,
  )
}

/** Names of all parts. STORE_CORRUPT, FORMAT_UNSUPPORTED */
export function neededParts(stored: unknown): string[] {
  const { blobs, tags, index } = readSimilarContents(stored)
  const known = new Set(blobs)
  for (const name of similarityBlobs(index)) if (!known.has(name)) throw corrupt()
  return [...blobs.map(indexPart), ...tags.map((_, i) => wordsPart(i))]
}

/** The documents at that time, with the feature weights of that time. STORE_CORRUPT */
export async function readIndex(
  { blobs, index }: Contents,
  { parts }: StoredParts,
): Promise<SimilarityIndex> {
  const read = await parts(blobs.map(indexPart))
  const saved = { contents: index, blobs: new Map(blobs.map(name => [name, read.get(indexPart(name))!])) }
  return await inStretches(SimilarityIndex.load(saved, { keepsWeights: true }))
}

const dictionary = z.array(z.tuple([z.string(), z.number()]))

/** Words that indicate a tag with their scores, strongest first. STORE_CORRUPT */
export async function readTagWords(tag: number, { parts }: StoredParts): Promise<[string, number][]> {
  const name = wordsPart(tag)
  const { data } = dictionary.safeParse(JSON.parse(Buffer.from((await parts([name])).get(name)!).toString()))
  if (!data) throw corrupt()
  return data
}

function corrupt(): FindlingError {
  return new FindlingError('STORE_CORRUPT', 'The model of a service of similar documents cannot be read.')
}
