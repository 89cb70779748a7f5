import type { StoredTagTree } from '../datasets/tags/stored-tag-tree.ts'
import { LiveGathering, type LiveGatheringContext } from '../gathered/live-gathering.ts'
import type { CheckedCompletionOptions } from './completion-options.ts'
import type { Completion } from './completions.ts'
import { DatasetTags } from './dataset-tags.ts'
import { DatasetTitles } from './dataset-titles.ts'

export interface LiveCompletionsContext extends LiveGatheringContext {
  tags: StoredTagTree
}

/** The completions of one dataset: titles of its documents, and names of its tags. */
export class LiveCompletions extends LiveGathering<DatasetTitles> {
  readonly #tree: StoredTagTree
  #tags: DatasetTags | undefined

  constructor(context: LiveCompletionsContext) {
    super(context, {
      kind: 'list of completions',
      make: state => new DatasetTitles(state),
      fits: ({ field }, { settings }) => field === settings.interpretedFields[0],
    })
    this.#tree = context.tags
  }

  override get bytes(): number {
    return super.bytes + (this.#tags?.bytes ?? 0)
  }

  /**
   * What the text may become, every completed write among it. Tags come before titles and take half of the places at
   * most where there are titles for the others. Words are corrected only where neither has any that begin as typed.
   */
  complete(text: string, options: CheckedCompletionOptions): Promise<Completion[]> {
    return this.inUse(() => this.#find(text, options))
  }

  protected override forget(): void {
    super.forget()
    this.#tags = undefined
  }

  async #find(
    text: string,
    { limit, kinds, typoTolerance }: CheckedCompletionOptions,
  ): Promise<Completion[]> {
    const titles = kinds.includes('title') ? (await this.read()).completions : undefined
    this.#tags ??= new DatasetTags(this.#tree)
    const tags = kinds.includes('tag') ? this.#tags : undefined
    const exactTags = (await tags?.begunAs(text, limit)) ?? []
    const exactTitles = titles?.complete(text, { limit, typoTolerance: 0 }) ?? []
    const exact = together(exactTags, exactTitles, limit)
    if (exact.length > 0 || typoTolerance === 0) return exact
    const nearTags = (await tags?.begunNear(text, limit)) ?? []
    return together(nearTags, titles?.complete(text, { limit, typoTolerance }) ?? [], limit)
  }
}

function together(tags: readonly Completion[], titles: readonly Completion[], limit: number): Completion[] {
  const places = Math.max(Math.ceil(limit / 2), limit - titles.length)
  return [...tags.slice(0, places), ...titles].slice(0, limit)
}
