import type { DatasetState } from '../../datasets/state.ts'
import type { StoredTagTree } from '../../datasets/tags/stored-tag-tree.ts'
import type { DocumentWritten } from '../../derived/gathered/gathered-documents.ts'
import {
  type Gatherer,
  LiveGathering,
  type LiveGatheringContext,
} from '../../derived/gathered/live-gathering.ts'
import type { JsonObject } from '../../json.ts'
import type { LoopTurn } from '../../scheduling/loop-turn.ts'
import type { Completion } from '../model/completion.ts'
import type { CheckedCompletionOptions } from '../options.ts'
import { DatasetTags } from './dataset-tags.ts'
import { DatasetTitles } from './dataset-titles.ts'

export interface LiveCompletionsContext extends LiveGatheringContext {
  tags: StoredTagTree
}

/** A caller from whom some documents are hidden. */
export interface CompletionsFor {
  /** Identifies the condition. */
  readonly name: string
  /** Whether a document is visible. */
  readonly matches: (document: JsonObject) => boolean
  /** Ids of the tags of visible documents, and of the tags above them. */
  readonly tags: ReadonlySet<string>
}

type Matches = CompletionsFor['matches']

const gatherer = (matches?: Matches): Gatherer<DatasetTitles> => ({
  kind: 'list of completions',
  make: (state: DatasetState) => new DatasetTitles(state, matches),
  fits: ({ field, markup }, { settings }) =>
    field === settings.interpretedFields[0] && markup === settings.markup,
})

/** Maximum number of lists for callers from whom documents are hidden that are kept at a time, besides the list of all titles. */
const MOST_KEPT = 16

/** The titles of the documents visible to a caller, and the names of their tags. */
interface Kept {
  readonly titles: LiveGathering<DatasetTitles>
  readonly tags: DatasetTags
}

/** The completions of one dataset: titles of its documents, and names of its tags. */
export class LiveCompletions extends LiveGathering<DatasetTitles> {
  readonly #given: LiveCompletionsContext
  #tags: DatasetTags | undefined
  /** By condition, least recently used first. */
  readonly #some = new Map<string, Kept>()

  constructor(context: LiveCompletionsContext) {
    super(context, gatherer())
    this.#given = context
  }

  override get bytes(): number {
    let bytes = super.bytes + (this.#tags?.bytes ?? 0)
    for (const { titles, tags } of this.#some.values()) bytes += titles.bytes + tags.bytes
    return bytes
  }

  override follow(changes: readonly DocumentWritten[]): Promise<void> | undefined {
    const all = super.follow(changes)
    if (this.#some.size === 0) return all
    const some = [...this.#some.values()].map(({ titles }) => titles.follow(changes))
    return Promise.all([all, ...some]).then(() => undefined)
  }

  /**
   * Completes the text, taking every completed write into account. Tags come before titles and take at most half of the places if
   * there are titles for the others. Words are corrected only if neither tags nor titles begin as typed.
   * @param onlooker a caller from whom some documents are hidden; default: none are
   */
  complete(
    text: string,
    options: CheckedCompletionOptions,
    onlooker?: CompletionsFor,
  ): Promise<Completion[]> {
    return this.inUse(async () => {
      if (onlooker) return await this.#completeFor(text, options, onlooker)
      const titles = options.kinds.includes('title') ? await this.read() : undefined
      this.#tags ??= new DatasetTags(this.#given.tags)
      return await find(text, options, this.#given.store.turn, { titles, tags: this.#tags })
    })
  }

  protected override forget(): void {
    super.forget()
    this.#tags = undefined
    for (const name of [...this.#some.keys()]) this.#drop(name)
  }

  async #completeFor(
    text: string,
    options: CheckedCompletionOptions,
    { name, matches, tags: known }: CompletionsFor,
  ): Promise<Completion[]> {
    const { titles, tags } = this.#keptFor(name, matches)
    const { turn } = this.#given.store
    if (!options.kinds.includes('title')) return await find(text, options, turn, { tags, known })
    return await titles.use(all => find(text, options, turn, { titles: all, tags, known }))
  }

  #keptFor(name: string, matches: Matches): Kept {
    const { store, state, tags } = this.#given
    // Its memory is counted together with that of all others.
    const kept = this.#some.get(name) ?? {
      titles: new LiveGathering({ store, state }, gatherer(matches)),
      tags: new DatasetTags(tags),
    }
    this.#some.delete(name)
    this.#some.set(name, kept)
    for (const [oldest] of this.#some) if (this.#some.size > MOST_KEPT) this.#drop(oldest)
    return kept
  }

  #drop(name: string): void {
    // Waiting callers get what they asked for.
    void this.#some.get(name)?.titles.close()
    this.#some.delete(name)
  }
}

interface Sources {
  readonly titles?: DatasetTitles | undefined
  readonly tags: DatasetTags
  /** The only tags that count. */
  readonly known?: ReadonlySet<string>
}

/** @param turn shared with other callers */
async function find(
  text: string,
  { limit, kinds, typoTolerance }: CheckedCompletionOptions,
  turn: LoopTurn,
  { titles, tags: allTags, known }: Sources,
): Promise<Completion[]> {
  const withTitles = (tags: readonly Completion[], typoTolerance: 0 | 1) =>
    turn.inTurn(() =>
      together(tags, titles?.completions.completeApart(text, { limit, typoTolerance }) ?? [], limit),
    )
  const tags = kinds.includes('tag') ? allTags : undefined
  const exact = await withTitles((await tags?.begunAs(text, limit, known)) ?? [], 0)
  if (exact.length > 0 || typoTolerance === 0) return exact
  return await withTitles((await tags?.begunNear(text, limit, known)) ?? [], typoTolerance)
}

function together(tags: readonly Completion[], titles: readonly Completion[], limit: number): Completion[] {
  const places = Math.max(Math.ceil(limit / 2), limit - titles.length)
  return [...tags.slice(0, places), ...titles].slice(0, limit)
}
