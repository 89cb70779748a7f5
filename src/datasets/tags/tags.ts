import * as z from 'zod'
import { countWords } from '../../analysis/html-words.ts'
import { parseInput } from '../../input.ts'
import type { Job } from '../../jobs/job.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import { sealText } from '../../store/checksum.ts'
import { documentPrefix, tagKey, tagPrefix, within } from '../../store/keyspace.ts'
import { withEntry } from '../../store/manifest.ts'
import type { Store } from '../../store/store.ts'
import type { Transaction } from '../../store/write-queue.ts'
import { recordIn } from '../record.ts'
import { checkId } from '../settings.ts'
import type { DatasetState } from '../state.ts'
import { declareDead, startCleaning } from './tag-cleaning.ts'
import { TagSuggestions } from './tag-suggestions.ts'
import { type RefusedTag, type Tag, type TagChange, TagTree, type TagView } from './tag-tree.ts'

export interface TagsContext {
  store: Store
  state: DatasetState
  jobs: JobRunner
}

/** A tag as a caller gives it; blank and null parents are roots. */
export interface TagInput {
  id: string | number
  name: string
  parentId?: string | number | null
}

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
  signal: z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional(),
})

/** The tag tree of one dataset. Documents name tags by id; an id need not be a tag's. */
export class Tags {
  readonly #context: TagsContext
  #loading: Promise<TagTree> | undefined
  #suggestions: TagSuggestions | undefined

  constructor(context: TagsContext) {
    this.#context = context
  }

  async get(id: string | number): Promise<TagView | undefined> {
    const checked = checkId(id, 'id')
    return (await this.#tree()).get(checked)
  }

  async list(): Promise<TagView[]> {
    return (await this.#tree()).list()
  }

  /** TAG_EXISTS, TAG_PARENT_NOT_FOUND, INVALID_ARGUMENT. */
  async create(tag: TagInput): Promise<TagView> {
    const { first } = await this.#change(tree => tree.planCreate(tag))
    return first!
  }

  /** Changes name, parent or id; children follow a changed id, documents keep the old one. */
  async update(id: string | number, change: Partial<TagInput>): Promise<TagView> {
    const old = checkId(id, 'id')
    const { first } = await this.#change(tree => tree.planUpdate(old, change))
    return first!
  }

  /**
   * TAG_HAS_CHILDREN unless `force`, which removes the descendants too. With `cleanDocuments` the removed ids leave
   * the documents: the job that does it is returned running and survives a crash. Cancelling it is for good.
   */
  async remove(
    id: string | number,
    options: { force?: boolean; cleanDocuments?: boolean } = {},
  ): Promise<{ removed: string[]; cleaning: Job<number> | null }> {
    const { force, cleanDocuments } = parseInput(removeOptions, options, 'options')
    const checked = checkId(id, 'id')
    const plan = (tree: TagTree) => tree.planRemove(checked, { force })
    const declare = (transaction: Transaction, ids: readonly string[]) =>
      declareDead(transaction, this.#context.state.dataset, ids)
    const { remove } = await this.#change(plan, cleanDocuments ? declare : undefined)
    return { removed: [...remove], cleaning: cleanDocuments ? startCleaning(this.#context, remove) : null }
  }

  /** Replaces the whole tree if the list is consistent; otherwise changes nothing and says which tags are not. */
  async replaceAll(tags: readonly TagInput[]): Promise<{ stored: number; refused: RefusedTag[] }> {
    let refused: RefusedTag[] = []
    const change = await this.#change(tree => {
      const plan = tree.planReplaceAll(tags)
      if ('change' in plan) return plan.change
      refused = [...plan.refused]
      return { put: [], remove: [] }
    })
    return { stored: change.put.length, refused }
  }

  /** Ids of tags of which a word starts with the text, best first. */
  async suggest(text: string, options: { limit?: number } = {}): Promise<TagView[]> {
    const { limit } = parseInput(suggestOptions, options, 'options')
    const query = parseInput(z.string(), text, 'text')
    const tree = await this.#tree()
    this.#suggestions ??= new TagSuggestions(tree)
    return this.#suggestions.suggest(query, limit).flatMap(id => tree.get(id) ?? [])
  }

  /** Counts documents and words of every tag: reads all documents. */
  async counts(options: { signal?: AbortSignal } = {}): Promise<Map<string, TagCounts>> {
    const checked = parseInput(countOptions, options, 'options')
    const { store, state } = this.#context
    const own = new Map<string, TagCounts>()
    const { rules } = state
    for await (const batch of store.entries(within(documentPrefix(state.dataset)), checked)) {
      for (const [, payload] of batch) {
        const { document } = recordIn(payload)
        const ids = rules.tagIds(document)
        if (ids.length > 0) count(own, ids, wordsIn(rules.fieldTexts(document)))
      }
    }
    return summed(await this.#tree(), own)
  }

  /**
   * Takes ids that are no tags (any more) out of all documents. Modification times stay. The job's result is the
   * number of documents changed. Once started the clean-up is finished even after a crash, unless it is cancelled.
   */
  cleanDocuments(): Job<number> {
    return startCleaning(this.#context, [], () => this.#deadIds())
  }

  async #deadIds(): Promise<string[]> {
    const { store, state } = this.#context
    const tree = await this.#tree()
    const dead = new Set<string>()
    for await (const batch of store.entries(within(documentPrefix(state.dataset)))) {
      for (const [, payload] of batch) {
        for (const id of state.rules.tagIds(recordIn(payload).document)) if (!tree.has(id)) dead.add(id)
      }
    }
    return [...dead]
  }

  /** Decides and applies in one turn of the queue, so that each change sees the one before it. */
  async #change(
    plan: (tree: TagTree) => TagChange,
    also?: (transaction: Transaction, removed: readonly string[]) => void,
  ): Promise<TagChange & { first: TagView | undefined }> {
    const { store, state } = this.#context
    const tree = await this.#tree()
    return await store.write({
      reads: [],
      bytes: 1024,
      apply: transaction => {
        transaction.dataset(state.dataset)
        const change = plan(tree)
        for (const id of change.remove) transaction.delete(tagKey(state.dataset, id))
        for (const tag of change.put)
          transaction.put(tagKey(state.dataset, tag.id), sealed(state.dataset, tag))
        reviveTags(transaction, state.dataset, change.put)
        also?.(transaction, change.remove)
        tree.apply(change)
        this.#suggestions?.apply(change)
        // Looked at now: the next change in the queue may remove it again.
        return { ...change, first: change.put[0] && tree.get(change.put[0].id) }
      },
    })
  }

  #tree(): Promise<TagTree> {
    const { store, state } = this.#context
    store.assertOpen()
    state.assertThere()
    this.#loading ??= this.#load().catch(error => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }

  async #load(): Promise<TagTree> {
    const { store, state } = this.#context
    const tags: Tag[] = []
    for await (const batch of store.entries(within(tagPrefix(state.dataset)))) {
      for (const [, payload] of batch) tags.push(JSON.parse(payload.toString()) as Tag)
    }
    return new TagTree(tags, { integerIds: state.schema.tag.integer })
  }
}

/** A tag that is made again while documents are still to lose it keeps those that have not yet. */
function reviveTags(transaction: Transaction, dataset: number, tags: readonly Tag[]): void {
  const { tagsToClean } = transaction.dataset(dataset)
  const made = new Set(tags.map(({ id }) => id))
  const left = tagsToClean.filter(id => !made.has(id))
  if (left.length === tagsToClean.length) return
  transaction.manifest = withEntry(transaction.manifest, dataset, { tagsToClean: left })
}

const sealed = (dataset: number, { id, name, parentId }: Tag): Buffer =>
  sealText(tagKey(dataset, id), JSON.stringify({ id, name, parentId }))

function count(counts: Map<string, TagCounts>, ids: Iterable<string>, words: number): void {
  for (const id of ids) {
    const { documents, words: before } = counts.get(id) ?? { documents: 0, words: 0 }
    counts.set(id, { documents: documents + 1, words: before + words })
  }
}

function wordsIn(texts: readonly (string | readonly string[] | undefined)[]): number {
  let words = 0
  for (const text of texts.flat()) if (text) words += countWords(text)
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
