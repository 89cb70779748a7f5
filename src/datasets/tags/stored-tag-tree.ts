import { eachInPieces } from '../../scheduling/each-in-pieces.ts'
import { Once } from '../../scheduling/once.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import { sealText } from '../../store/checksum.ts'
import type { ContentSum } from '../../store/content-sum.ts'
import type { DatasetNumber } from '../../store/dataset-number.ts'
import { keysWithin, tagKey, tagPrefix } from '../../store/keyspace.ts'
import type { Store } from '../../store/store.ts'
import type { Mutation, Transaction } from '../../store/transaction.ts'
import type { DatasetState } from '../state.ts'
import { readTags } from './tag-list.ts'
import { TagSuggestions } from './tag-suggestions.ts'
import { type Tag, type TagChange, TagTree, type TagView } from './tag-tree.ts'

/** The tree as it is stored, and as it will be once all that is decided is durable: changes are planned on that. */
interface TagTrees {
  readonly stored: TagTree
  readonly planned: TagTree
}

/** A whole tree in place of another, with all that can be made before its turn comes. */
interface Replacement {
  readonly tags: readonly Tag[]
  /** What is stored, by its keys. */
  readonly values: ReadonlyMap<string, Buffer>
  readonly trees: TagTrees
}

/** What else is to be stored at once. */
type AlsoStored = (transaction: Transaction, removed: readonly string[]) => void

/** What was stored, and the first of it as it is in the tree. */
type TagChanged = TagChange & { readonly first: TagView | undefined }

/** The tag tree of one dataset: read from the store when it is asked for first, changed by writes. */
export class StoredTagTree {
  readonly #store: Store
  readonly #state: DatasetState
  readonly #loaded = new Once(() => this.#load())
  #suggestions: TagSuggestions | undefined
  /** Grows with every change that can be seen. */
  revision = 0

  constructor(store: Store, state: DatasetState) {
    this.#store = store
    this.#state = state
  }

  async current(): Promise<TagTree> {
    return (await this.#trees()).stored
  }

  /** The sum over all tags as decided so far, for who has a turn in the queue; undefined until the tree was read. */
  get plannedContent(): ContentSum | undefined {
    return this.#loaded.loaded?.planned.content
  }

  #trees(): Promise<TagTrees> {
    this.#store.assertOpen()
    this.#state.assertThere()
    return this.#loaded.get()
  }

  /** Tags of which a word starts with the text, best first. @param known the only ones that count */
  async suggest(text: string, limit: number, known?: ReadonlySet<string>): Promise<TagView[]> {
    const tree = await this.current()
    this.#suggestions ??= new TagSuggestions(tree)
    await inStretches(this.#suggestions.catchUp())
    const ids = await inStretches(this.#suggestions.suggest(text, limit, known))
    return ids.flatMap(id => tree.get(id) ?? [])
  }

  /** Decides in one turn of the queue, so that each change sees the previous one; tells of it when it is durable. */
  async change(plan: (tree: TagTree) => TagChange): Promise<TagChanged> {
    return await this.#store.write(await this.changing(plan))
  }

  /** The same, to be decided with other writes. */
  async changing(plan: (tree: TagTree) => TagChange, also?: AlsoStored): Promise<Mutation<TagChanged>> {
    const trees = await this.#trees()
    return deciding(transaction => this.#change(transaction, trees, plan, also))
  }

  /** Puts a list of tags that makes one tree in place of all. */
  async replaceAll(input: unknown): Promise<TagChange> {
    return await this.#store.write(await this.replacing(input))
  }

  /** The same, to be decided with other writes; what takes time is done before the queue has its turn. */
  async replacing(input: unknown): Promise<Mutation<TagChanged>> {
    const trees = await this.#trees()
    const { schema, dataset } = this.#state
    const tags = await inStretches(readTags(input, { integerIds: schema.tag.integer }))
    const values = await inStretches(sealing(dataset, tags))
    const replacement = { tags, values, trees: await this.#build(tags) }
    return deciding(transaction => this.#replace(transaction, trees, replacement))
  }

  // The planned tree is in between meanwhile, but only mutations see it, one after the other.
  *#change(
    transaction: Transaction,
    { stored, planned }: TagTrees,
    plan: (tree: TagTree) => TagChange,
    also: AlsoStored | undefined,
  ): Generator<void, TagChanged> {
    const { dataset, name } = this.#state
    transaction.dataset(dataset, name)
    const change = plan(planned)
    yield* eachInPieces(change.remove, id => transaction.delete(tagKey(dataset, id)))
    yield* eachInPieces(change.put, tag => transaction.put(tagKey(dataset, tag.id), sealed(dataset, tag)))
    also?.(transaction, change.remove)
    const inverse = yield* planned.inverse(change)
    transaction.whenUndone(() => planned.apply(inverse))
    yield* planned.applying(change)
    return this.#decided(transaction, planned, change, () => stored.apply(change))
  }

  *#replace(
    transaction: Transaction,
    { stored, planned }: TagTrees,
    { tags, values, trees }: Replacement,
  ): Generator<void, TagChanged> {
    const { dataset, name } = this.#state
    transaction.dataset(dataset, name)
    // Nothing has been added to the one that was built: it knows the ids that stay.
    const change = yield* planned.planReplaceAll(tags, trees.planned)
    yield* eachInPieces(change.remove, id => transaction.delete(tagKey(dataset, id)))
    yield* transaction.puttingSealed(values)
    const exchange = () => planned.exchange(trees.planned)
    transaction.whenUndone(exchange)
    exchange()
    return this.#decided(transaction, planned, change, () => stored.exchange(trees.stored))
  }

  /** @param show changes the stored tree, once the change is durable */
  #decided(transaction: Transaction, planned: TagTree, change: TagChange, show: () => void): TagChanged {
    reviveTags(transaction, this.#state.dataset, change.put)
    transaction.whenDurable(() => {
      this.revision++
      show()
      this.#suggestions?.apply(change)
    })
    // Looked at now: the next change in the queue may remove it again.
    return { ...change, first: change.put[0] && planned.get(change.put[0].id) }
  }

  async #load(): Promise<TagTrees> {
    const tags: Tag[] = []
    const stretch = new Stretch()
    for await (const batch of this.#store.entries(keysWithin(tagPrefix(this.#state.dataset)))) {
      const read = eachInPieces(batch, ([, payload]) => tags.push(JSON.parse(payload.toString()) as Tag))
      await stretch.through(read)
    }
    return await this.#build(tags)
  }

  async #build(tags: readonly Tag[]): Promise<TagTrees> {
    const { integer: integerIds } = this.#state.schema.tag
    return {
      // Sums are asked of what is planned only, and the stored tree changes at once.
      stored: await inStretches(TagTree.building(tags, { integerIds, isSummed: false })),
      planned: await inStretches(TagTree.building(tags, { integerIds })),
    }
  }
}

const deciding = (
  apply: (transaction: Transaction) => Generator<void, TagChanged>,
): Mutation<TagChanged> => ({
  reads: [],
  bytes: 1024,
  apply,
})

/** A tag that is made again while documents are still to lose it keeps those that have not yet. */
function reviveTags(transaction: Transaction, dataset: DatasetNumber, tags: readonly Tag[]): void {
  const { tagsToClean } = transaction.dataset(dataset)
  if (tagsToClean.length === 0) return
  const made = new Set(tags.map(({ id }) => id))
  const left = tagsToClean.filter(id => !made.has(id))
  if (left.length === tagsToClean.length) return
  transaction.setEntry(dataset, { tagsToClean: left })
}

function* sealing(dataset: DatasetNumber, tags: readonly Tag[]): Generator<void, Map<string, Buffer>> {
  const values = new Map<string, Buffer>()
  yield* eachInPieces(tags, tag => values.set(tagKey(dataset, tag.id), sealed(dataset, tag)))
  return values
}

const sealed = (dataset: DatasetNumber, { id, name, parentId }: Tag): Buffer =>
  sealText(tagKey(dataset, id), JSON.stringify({ id, name, parentId }))
