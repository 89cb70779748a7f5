import type { DatasetState } from '../datasets/state.ts'
import type { StoredTagTree } from '../datasets/tags/stored-tag-tree.ts'
import type { Derived, Finding } from '../derived/derived.ts'
import type { DerivedMemory } from '../derived/memory.ts'
import { LoopTurn } from '../loop-turn.ts'
import type { Store } from '../store/store.ts'
import type { CheckedCompletionOptions } from './completion-options.ts'
import type { Completion } from './completions.ts'
import { DatasetTags } from './dataset-tags.ts'
import { DatasetTitles, type TitleChange } from './dataset-titles.ts'

export interface LiveCompletionsContext {
  store: Store
  state: DatasetState
  tags: StoredTagTree
  /** Bounds what they take; nothing does by default. */
  memory?: DerivedMemory
}

/**
 * The completions of one dataset, kept in step with its documents: read from the stored documents when somebody asks
 * for the first time, fed by every commit from then on, read anew when another field has become the title. Nothing of
 * them is stored.
 */
export class LiveCompletions implements Derived {
  readonly kind = 'list of completions'
  readonly #context: LiveCompletionsContext
  readonly #loopTurn = new LoopTurn()
  /** Calls that work with them at present. */
  #uses = 0
  #titles: DatasetTitles | undefined
  #tags: DatasetTags | undefined

  constructor(context: LiveCompletionsContext) {
    this.#context = context
  }

  get name(): string {
    return this.#context.state.name
  }

  /** Roughly how much memory they hold. */
  get bytes(): number {
    return (this.#titles?.completions.bytes ?? 0) + (this.#tags?.bytes ?? 0)
  }

  follow(changes: readonly TitleChange[]): Promise<void> | undefined {
    return this.#titles?.follow(changes)
  }

  /** Who asks next sees whether another field is the title. */
  redefined(): void {}

  /** They need no loading: who asks has them read. */
  async settle(): Promise<void> {}

  /** They read the documents themselves, so that the change log need keep nothing for them. */
  async catchUp(): Promise<number> {
    return Infinity
  }

  /** Nothing of them is stored. */
  async examine(): Promise<Finding[]> {
    return []
  }

  async rebuild(): Promise<void> {
    this.#forget()
  }

  /**
   * What the text may become, every completed write among it. Tags come before titles and take half of the places at
   * most where there are titles for the others. Words are corrected only where neither has any that begin as typed.
   */
  async complete(text: string, options: CheckedCompletionOptions): Promise<Completion[]> {
    const { store, state, memory } = this.#context
    store.assertOpen()
    state.assertThere()
    this.#uses++
    const found = await this.#find(text, options).finally(() => this.#uses--)
    await memory?.used(this)
    if (this.#loopTurn.isOver()) await this.#loopTurn.pause()
    return found
  }

  async release(): Promise<boolean> {
    if (this.#uses > 0) return false
    this.#forget()
    return true
  }

  async close(): Promise<void> {
    this.#forget()
  }

  /** Who asks next has the titles read again. */
  #forget(): void {
    this.#titles = undefined
    this.#tags = undefined
  }

  async #find(
    text: string,
    { limit, kinds, typoTolerance }: CheckedCompletionOptions,
  ): Promise<Completion[]> {
    const titles = kinds.includes('title') ? await this.#read() : undefined
    this.#tags ??= new DatasetTags(this.#context.tags)
    const tags = kinds.includes('tag') ? this.#tags : undefined
    const exactTags = (await tags?.begunAs(text, limit)) ?? []
    const exactTitles = titles?.complete(text, { limit, typoTolerance: 0 }) ?? []
    const exact = together(exactTags, exactTitles, limit)
    if (exact.length > 0 || typoTolerance === 0) return exact
    const nearTags = (await tags?.begunNear(text, limit)) ?? []
    return together(nearTags, titles?.complete(text, { limit, typoTolerance }) ?? [], limit)
  }

  async #read(): Promise<DatasetTitles['completions'] | undefined> {
    const { store, state } = this.#context
    const [field] = state.settings.interpretedFields
    if (field === undefined) return undefined
    if (this.#titles?.field !== field) this.#titles = new DatasetTitles(store, state, field)
    const titles = this.#titles
    try {
      await titles.settled()
    } catch (error) {
      if (this.#titles === titles) this.#titles = undefined
      throw error
    }
    return titles.completions
  }
}

function together(tags: readonly Completion[], titles: readonly Completion[], limit: number): Completion[] {
  const places = Math.max(Math.ceil(limit / 2), limit - titles.length)
  return [...tags.slice(0, places), ...titles].slice(0, limit)
}
