import * as z from 'zod'
import { wordsIn } from '../../analysis/plain-words.ts'
import { FindlingError } from '../../errors.ts'
import { parseInput } from '../../input.ts'
import type { Job, JobOptions } from '../../jobs/job.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import { abortSignal, jobOptions } from '../../jobs/watching.ts'
import { eachInPieces } from '../../scheduling/each-in-pieces.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import type { Store } from '../../store/store.ts'
import { type Steps, type TagInput, type TagOperation, writeOne } from '../job-steps.ts'
import { recordIn } from '../record.ts'
import { checkId } from '../schema/ids.ts'
import type { DatasetState } from '../state.ts'
import { allDocuments } from '../stored-documents.ts'
import type { StoredTagTree } from './stored-tag-tree.ts'
import { resumeCleaning, startCleaning, tagsToClean } from './tag-cleaning.ts'
import type { TagTree, TagView } from './tag-tree.ts'
import type {
  TagWordCounts,
  TakeWordCounts,
  WordCounting,
  WordExportReport,
  WordsOptions,
} from './word-counts.ts'

/** The surroundings of a dataset's tags. */
export interface TagsContext {
  store: Store
  state: DatasetState
  jobs: JobRunner
  steps: Steps
  tree: StoredTagTree
  words: WordCounting
}

/** How much a tag covers. */
export interface TagCounts {
  /** Documents with the tag or one of its descendants; a document with two tags of the branch counts twice. */
  documents: number
  /** Words in the interpreted fields of these documents; HTML tags do not count, Japanese is segmented into words. */
  words: number
}

const removeOptions = z.strictObject({
  force: z.boolean().default(false),
  cleanDocuments: z.boolean().default(false),
})
const suggestOptions = z.strictObject({ limit: z.int().min(1).max(1000).default(10) })
const countOptions = z.strictObject({
  signal: abortSignal,
})

/**
 * The tag tree of a dataset. Documents name their tags by id; a document may also name an id that is not a tag.
 */
export class Tags {
  readonly #find: () => TagsContext

  /** @param find looks up the dataset; every call calls it again */
  constructor(find: () => TagsContext) {
    this.#find = find
  }

  get #context(): TagsContext {
    return this.#find()
  }

  /**
   * Reads a tag with its position in the tree; undefined when no tag has that id.
   * @example
   * await products.tags.create({ id: 'electronics', name: 'Electronics' })
   * await products.tags.create({ id: 'audio', name: 'Audio', parentId: 'electronics' })
   * const audio = await products.tags.get('audio')
   * console.log(audio?.level, audio?.path.map(({ name }) => name)) // 2 [ 'Electronics' ]
   */
  async get(id: string | number): Promise<TagView | undefined> {
    const checked = checkId(id, 'id')
    return (await this.#context.tree.current()).get(checked)
  }

  /**
   * Lists all tags, each with its position in the tree.
   * @example
   * await products.tags.create({ id: 'audio', name: 'Audio' })
   * console.log((await products.tags.list()).map(({ id }) => id)) // [ 'audio' ]
   */
  async list(): Promise<TagView[]> {
    const { tree, store } = this.#context
    return await inStretches((await tree.current()).list(), undefined, store.turn)
  }

  /**
   * Creates a tag. TAG_EXISTS, TAG_PARENT_NOT_FOUND, INVALID_ARGUMENT.
   * @example
   * const { level } = await products.tags.create({ id: 'garden', name: 'Garden' })
   * console.log(level) // 1
   */
  async create(tag: TagInput): Promise<TagView> {
    const { tree, steps, state } = this.#context
    if (steps.areHandedOver) return await this.#written({ type: 'createTag', dataset: state.name, tag })
    const { first } = await tree.change(planned => planned.planCreate(tag))
    return first!
  }

  /**
   * Changes the name, parent or id of a tag. If its id changes, its children stay below it, but documents keep the old id.
   * TAG_NOT_FOUND, TAG_EXISTS, TAG_PARENT_NOT_FOUND, TAG_CYCLE.
   * @example
   * await products.tags.create({ id: 'office', name: 'Office' })
   * const { name } = await products.tags.update('office', { name: 'Home office' })
   * console.log(name) // Home office
   */
  async update(id: string | number, change: Partial<TagInput>): Promise<TagView> {
    const old = checkId(id, 'id')
    const { tree, steps, state } = this.#context
    if (steps.areHandedOver)
      return await this.#written({ type: 'updateTag', dataset: state.name, id: old, change })
    const { first } = await tree.change(planned => planned.planUpdate(old, change))
    return first!
  }

  /**
   * Removes a tag. TAG_NOT_FOUND; TAG_HAS_CHILDREN if there are tags below it, unless you pass `force`, which removes them too. With
   * `cleanDocuments` the ids are also removed from the documents, by a job that is already running when this returns and that
   * resumes after a crash. If you cancel it, the documents that it has not reached keep the ids.
   * @example
   * await products.tags.create({ id: 'garden', name: 'Garden' })
   * const { removed, cleaning } = await products.tags.remove('garden', { cleanDocuments: true })
   * await cleaning
   * console.log(removed, (await products.documents.get('p3'))?.tag) // [ 'garden' ] []
   */
  async remove(
    id: string | number,
    options: { force?: boolean; cleanDocuments?: boolean } = {},
  ): Promise<{ removed: string[]; cleaning: Job<number> | null }> {
    const { force, cleanDocuments } = parseInput(removeOptions, options, 'options')
    const checked = checkId(id, 'id')
    const context = this.#context
    if (!cleanDocuments && !context.steps.areHandedOver) {
      const { remove } = await context.tree.change(tree => tree.planRemove(checked, { force }))
      return { removed: [...remove], cleaning: null }
    }
    const operation = { type: 'removeTag', dataset: context.state.name, id: checked } as const
    const outcome = await writeOne(context.steps, { ...operation, force, cleanDocuments })
    const removed = [...(outcome.removed ?? [checked])]
    return { removed, cleaning: cleanDocuments ? startCleaning(context, removed) : null }
  }

  /**
   * Replaces the whole tree by a list of tags in any order, and returns their number. If some tags do not fit, nothing changes:
   * the error has the code of the first of them, and `details.refused` lists them all. INVALID_ARGUMENT, TAG_PARENT_NOT_FOUND,
   * TAG_CYCLE.
   * @example
   * const { stored } = await products.tags.replaceAll([
   *   { id: 'electronics', name: 'Electronics' },
   *   { id: 'audio', name: 'Audio', parentId: 'electronics' },
   * ])
   * console.log(stored) // 2
   */
  async replaceAll(tags: readonly TagInput[]): Promise<{ stored: number }> {
    const { tree, steps, state } = this.#context
    if (steps.areHandedOver) {
      const all = [...tags]
      await writeOne(steps, { type: 'replaceTags', dataset: state.name, tags: all })
      return { stored: all.length }
    }
    const { put } = await tree.replaceAll(tags)
    return { stored: put.length }
  }

  /**
   * Finds tags by the beginnings of the words in their names, best first.
   * @example
   * await products.tags.create({ id: 'office', name: 'Home office' })
   * console.log((await products.tags.suggest('off'))[0].name) // Home office
   */
  async suggest(text: string, options: { limit?: number } = {}): Promise<TagView[]> {
    const { limit } = parseInput(suggestOptions, options, 'options')
    const query = parseInput(z.string(), text, 'text')
    return await this.#context.tree.suggest(query, limit)
  }

  /**
   * Counts the documents and words of every tag. It reads all documents.
   * @example
   * await products.tags.create({ id: 'audio', name: 'Audio' })
   * console.log((await products.tags.counts()).get('audio')?.documents) // 1
   */
  async counts(options: { signal?: AbortSignal } = {}): Promise<Map<string, TagCounts>> {
    const checked = parseInput(countOptions, options, 'options')
    const context = this.#context
    const own = new Map<string, TagCounts>()
    const { rules } = context.state
    const stretch = new Stretch()
    for await (const batch of allDocuments(context, checked)) {
      for (const [, payload] of batch) {
        const { document } = recordIn(payload)
        const ids = rules.tagIds(document)
        if (ids.length > 0) count(own, ids, wordCount(rules.fieldTexts(document)))
        if (stretch.isOver) await stretch.pause()
      }
    }
    return await inStretches(summing(await context.tree.current(), own))
  }

  /**
   * The words in the documents of each tag, or the word n-grams within a field, most frequent first, with their counts in the tag
   * and in the whole dataset: one list per tag and number of words. A document belongs to a tag only if it names that very id.
   * Words are in lower case and keep their accents; HTML tags do not count, Japanese is segmented into words. It reads all
   * documents, in a worker thread, and takes about 20 bytes of memory for each of their words. TAG_NOT_FOUND, INVALID_ARGUMENT,
   * TOO_LARGE for more than 100 million words, CANCELLED.
   * @example
   * await products.tags.create({ id: 'audio', name: 'Audio' })
   * for await (const { tagId, words } of products.tags.words({ limit: 1 })) {
   *   console.log(tagId, [...words]) // audio [ { text: 'wireless', inTag: 1, inDataset: 2 } ]
   * }
   */
  words(options: WordsOptions = {}): AsyncGenerator<TagWordCounts> {
    return this.#context.words.lists(options)
  }

  /**
   * The same as a job, which passes the lists to `take`, for example to write files. INVALID_ARGUMENT.
   * @example
   * await products.tags.create({ id: 'audio', name: 'Audio' })
   * const sizes: number[] = []
   * const { tags } = await products.tags.exportWords(async lists => {
   *   for await (const { words } of lists) sizes.push(words.size)
   * }, { nGrams: [1, 2] })
   * console.log(tags, sizes) // 1 [ 4, 2 ]
   */
  exportWords(take: TakeWordCounts, options: WordsOptions & JobOptions = {}): Job<WordExportReport> {
    return this.#context.words.export(take, options)
  }

  /**
   * Removes the ids of tags that do not exist (any more) from all documents. Modification times stay. The result of the
   * job is the number of changed documents. Once started, the job resumes even after a crash, unless it is cancelled.
   * @example
   * await products.tags.create({ id: 'audio', name: 'Audio' })
   * console.log(await products.tags.cleanDocuments()) // 2
   */
  cleanDocuments(options: JobOptions = {}): Job<number> {
    const context = this.#context
    const watch = parseInput(jobOptions, options, 'options')
    return startCleaning(context, [], { find: signal => deadIds(context, signal), watch })
  }

  /**
   * The ids of removed tags that have not been removed from all documents yet: either a job of this engine or of a replica is
   * removing them, or `resumeCleaning()` has to be called.
   * @example
   * await products.tags.create({ id: 'patio', name: 'Patio' })
   * await engine.write([{ type: 'removeTag', dataset: 'products', id: 'patio', cleanDocuments: true }])
   * console.log(products.tags.toClean()) // [ 'patio' ]
   * await products.tags.resumeCleaning()
   * console.log(products.tags.toClean()) // []
   */
  toClean(): string[] {
    const { store, state } = this.#context
    return [...tagsToClean(store, state)]
  }

  /**
   * Resumes removing from all documents the ids of tags that were removed with `cleanDocuments`. An engine does this when it is
   * opened, unless it has the option `writeThrough`: then only one of the replicas needs to do it, see `toClean()`. The result of
   * the job is the number of changed documents.
   * @example
   * await products.tags.create({ id: 'garden', name: 'Garden' })
   * await engine.write([{ type: 'removeTag', dataset: 'products', id: 'garden', cleanDocuments: true }])
   * console.log(await products.tags.resumeCleaning()) // 1
   */
  resumeCleaning(options: JobOptions = {}): Job<number> {
    return resumeCleaning(this.#context, parseInput(jobOptions, options, 'options'))
  }

  /** Makes the write and returns the tag as it is afterwards: others may have changed it since. */
  async #written(operation: TagOperation): Promise<TagView> {
    const { steps, tree } = this.#context
    const { id } = await writeOne(steps, operation)
    const view = (await tree.current()).get(id)
    if (view) return view
    throw new FindlingError('TAG_NOT_FOUND', `The tag ${id} was written, but has since been removed.`)
  }
}

async function deadIds(context: TagsContext, signal: AbortSignal): Promise<string[]> {
  const { state, tree } = context
  const tags = await tree.current()
  const dead = new Set<string>()
  for await (const batch of allDocuments(context, { signal })) {
    for (const [, payload] of batch) {
      for (const id of state.rules.tagIds(recordIn(payload).document)) if (!tags.has(id)) dead.add(id)
    }
  }
  return [...dead]
}

function count(counts: Map<string, TagCounts>, ids: Iterable<string>, words: number): void {
  for (const id of ids) {
    const { documents, words: before } = counts.get(id) ?? { documents: 0, words: 0 }
    counts.set(id, { documents: documents + 1, words: before + words })
  }
}

function wordCount(texts: readonly (string | readonly string[] | undefined)[]): number {
  let words = 0
  for (const text of texts.flat()) if (text) words += wordsIn(text).length
  return words
}

/** Counts that include those of all descendants. */
function* summing(
  tree: TagTree,
  own: ReadonlyMap<string, TagCounts>,
): Generator<void, Map<string, TagCounts>> {
  const all = yield* tree.list()
  const counts = new Map<string, TagCounts>()
  yield* eachInPieces(all, ({ id }) => counts.set(id, { documents: 0, words: 0 }))
  const add = (id: string, { documents, words }: TagCounts) => {
    const sum = counts.get(id)!
    sum.documents += documents
    sum.words += words
  }
  yield* eachInPieces(all, ({ id, path }) => {
    const mine = own.get(id)
    if (!mine) return
    add(id, mine)
    for (const ancestor of path) add(ancestor.id, mine)
  })
  return counts
}
