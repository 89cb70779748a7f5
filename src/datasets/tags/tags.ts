import * as z from 'zod'
import { wordsIn } from '../../analysis/html-words.ts'
import { FindlingError } from '../../errors.ts'
import { parseInput } from '../../input.ts'
import type { Job, JobOptions } from '../../jobs/job.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import { abortSignal, jobOptions } from '../../jobs/watching.ts'
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

/** What the tags of a dataset work with. */
export interface TagsContext {
  store: Store
  state: DatasetState
  jobs: JobRunner
  steps: Steps
  tree: StoredTagTree
  words: WordCounting
}

/** How much there is of a tag. */
export interface TagCounts {
  /** Documents with the tag, and those of all its descendants: one with two tags of the branch counts twice. */
  documents: number
  /** Words in the interpreted fields of these documents; HTML tags are none, Japanese is cut into words. */
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

  /** @param find the dataset, looked for again by every call */
  constructor(find: () => TagsContext) {
    this.#find = find
  }

  get #context(): TagsContext {
    return this.#find()
  }

  /**
   * Reads a tag with its place in the tree; undefined when there is none with that id.
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
   * Lists all tags, each with its place in the tree.
   * @example
   * await products.tags.create({ id: 'audio', name: 'Audio' })
   * console.log((await products.tags.list()).map(({ id }) => id)) // [ 'audio' ]
   */
  async list(): Promise<TagView[]> {
    return (await this.#context.tree.current()).list()
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
   * Changes the name, parent or id of a tag. If the id changes, its children stay below it, but documents keep the old id.
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
   * Removes a tag. TAG_HAS_CHILDREN unless you pass `force`, which removes the tags below it too. With `cleanDocuments`
   * the ids are removed from the documents as well, by a job that is returned running and goes on after a crash. If you
   * cancel it, the documents that it has not reached keep the ids.
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
   * Replaces the whole tree by a list of tags in any order, and returns how many there are. If some do not fit, nothing
   * changes: the error has the code of the first one, and `details.refused` lists all of them. INVALID_ARGUMENT,
   * TAG_PARENT_NOT_FOUND, TAG_CYCLE.
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
   * Finds tags with a word that begins with the text, best first.
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
    for await (const batch of allDocuments(context, checked)) {
      for (const [, payload] of batch) {
        const { document } = recordIn(payload)
        const ids = rules.tagIds(document)
        if (ids.length > 0) count(own, ids, wordCount(rules.fieldTexts(document)))
      }
    }
    return summed(await context.tree.current(), own)
  }

  /**
   * The words of the documents of each tag, or word n-grams of a field, most frequent first, with how often
   * the tag and the whole dataset have them: a list for each number of words and tag. A document belongs to a tag if it
   * names that very id. Words are in lower case with their accents; HTML tags are none, Japanese is cut into words.
   * It reads all documents, in a worker thread, and takes about 20 bytes of memory for each of their words.
   * TAG_NOT_FOUND, INVALID_ARGUMENT, TOO_LARGE for more than 100 million words, CANCELLED.
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
   * Removes from all documents the ids of tags that do not exist (any more). Modification times stay. The result of the
   * job is the number of changed documents. Once started, the job goes on even after a crash, unless it is cancelled.
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
   * The ids of removed tags that documents have still to lose: a job is at it, of this engine or of another that makes the same
   * writes, or `resumeCleaning()` has to go on.
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
   * Goes on removing from all documents the ids of tags that were removed with `cleanDocuments`. Engines do so when they are
   * opened, but not those with the option `writeThrough`, of which only one need do it: see `toClean()`. The result of the job is the number of
   * changed documents.
   * @example
   * await products.tags.create({ id: 'garden', name: 'Garden' })
   * await engine.write([{ type: 'removeTag', dataset: 'products', id: 'garden', cleanDocuments: true }])
   * console.log(await products.tags.resumeCleaning()) // 1
   */
  resumeCleaning(options: JobOptions = {}): Job<number> {
    return resumeCleaning(this.#context, parseInput(jobOptions, options, 'options'))
  }

  /** The tag as it is by now: others may have changed it since. */
  async #written(operation: TagOperation): Promise<TagView> {
    const { steps, tree } = this.#context
    const { id } = await writeOne(steps, operation)
    const view = (await tree.current()).get(id)
    if (view) return view
    throw new FindlingError('TAG_NOT_FOUND', `The tag ${id} was written, and has been removed since.`)
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

/** Own counts passed up to every ancestor. */
function summed(tree: TagTree, own: ReadonlyMap<string, TagCounts>): Map<string, TagCounts> {
  const counts = new Map<string, TagCounts>()
  const add = (id: string, { documents, words }: TagCounts) => {
    const before = counts.get(id) ?? { documents: 0, words: 0 }
    counts.set(id, { documents: before.documents + documents, words: before.words + words })
  }
  for (const { id, path } of tree.list()) {
    const mine = own.get(id) ?? { documents: 0, words: 0 }
    add(id, mine)
    for (const ancestor of path) add(ancestor.id, mine)
  }
  return counts
}
