import * as z from 'zod'
import { analyzerFor } from '../../analysis/analyzer.ts'
import { boundedText } from '../../analysis/bounded-text.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { readDocuments } from '../../datasets/stored-documents.ts'
import type { StoredTagTree } from '../../datasets/tags/stored-tag-tree.ts'
import { noTag } from '../../datasets/tags/tag-tree.ts'
import { fieldTexts } from '../../datasets/validation.ts'
import type { Gathering } from '../../derived/gathered/gathered-documents.ts'
import { LiveGathering, type LiveGatheringContext, readAlike } from '../../derived/gathered/live-gathering.ts'
import { SpeltWords } from '../../fulltext/dictionary/spelt-words.ts'
import { parseInput } from '../../input.ts'
import { deadlineMembers } from '../../jobs/watching.ts'
import type { JsonObject } from '../../json.ts'
import { Deadline, type DeadlineOptions } from '../../scheduling/deadline.ts'
import type { LoopTurn } from '../../scheduling/loop-turn.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import { Keywords, type TypicalWord } from '../model/keywords.ts'

/** What `dataset.keywords()` takes. */
export interface KeywordsOptions extends DeadlineOptions {
  /** Id of a tag. A document has it if it names exactly this id. */
  tagId: string
  /** Maximum number of words, 0 to 10,000. Default 20. */
  limit?: number
  /** Returns only words that occur in this text. */
  text?: string
  /** Returns only words whose score is at least the mean of all. Default false. */
  strict?: boolean
}

export const keywordsOptions = z.strictObject({
  tagId: z.string(),
  limit: z.int().min(0).max(10_000).default(20),
  text: boundedText(100_000).optional(),
  strict: z.boolean().default(false),
  ...deadlineMembers,
})

/** The words of a dataset's documents, by tag. */
class DatasetWords implements Gathering {
  readonly fields: readonly string[]
  readonly markup: boolean
  readonly keywords = new Keywords()
  readonly #state: DatasetState

  constructor(state: DatasetState) {
    this.fields = state.settings.interpretedFields
    this.markup = state.settings.markup
    this.#state = state
  }

  get bytes(): number {
    return this.keywords.bytes
  }

  add(id: string, document: JsonObject): void {
    const texts = textsOf(document, this.fields, this.#state)
    this.keywords.add(id, texts, this.#state.rules.tagIds(document))
  }

  remove(id: string): void {
    this.keywords.remove(id)
  }
}

const textsOf = (document: JsonObject, fields: readonly string[], { textForm }: DatasetState): string[] =>
  fieldTexts(document, fields, textForm).flatMap(text => text ?? [])

/** This many documents suffice to tell how a word is written; at most `MOST_READ` of a tag are read for it, some at a time. */
const ENOUGH = 5
const MOST_READ = 2_000
const READ_TOGETHER = 64

/** Which words are typical of the tags of one dataset. */
export class LiveWords extends LiveGathering<DatasetWords> {
  readonly #turn: LoopTurn
  readonly #place: Pick<LiveGatheringContext, 'store' | 'state'>

  constructor(context: LiveGatheringContext) {
    super(context, {
      kind: 'list of words by tag',
      make: state => new DatasetWords(state),
      fits: (gathered, { settings }) => !gathered.keywords.isWornOut && readAlike(gathered, settings),
    })
    this.#turn = context.store.turn
    this.#place = context
  }

  /** INVALID_ARGUMENT, SEARCH_TIMEOUT, CANCELLED; TAG_NOT_FOUND for a tag that neither the tree nor a document has. */
  async typicalOf(given: unknown, tree: StoredTagTree): Promise<TypicalWord[]> {
    const { tagId, timeout, signal, ...asked } = parseInput(keywordsOptions, given, 'options')
    const deadline = Deadline.of({ timeout, signal }, 'text')
    return await this.use(async ({ keywords, fields }) => {
      deadline?.begin()
      deadline?.check()
      if (!keywords.hasTag(tagId) && !(await tree.current()).has(tagId)) throw noTag(tagId, 'tagId')
      const found = await inStretches(keywords.of(tagId, asked), deadline, this.#turn)
      const spelt = await this.#spelt(found, keywords.idsOf(tagId, MOST_READ), fields, deadline)
      return found.map(word => ({ ...word, text: spelt.written(word.text) }))
    })
  }

  /** Words in the spelling of some documents of the tag. */
  async #spelt(
    found: readonly TypicalWord[],
    ids: readonly string[],
    fields: readonly string[],
    deadline: Deadline | undefined,
  ): Promise<SpeltWords> {
    const words = found.flatMap(({ text }) => text.split(' '))
    const spelt = new SpeltWords(words, analyzerFor('none'), ENOUGH)
    const stretch = new Stretch(deadline, this.#turn)
    for (let at = 0; at < ids.length && !spelt.isKnown; at += READ_TOGETHER) {
      for (const document of await readDocuments(this.#place, ids.slice(at, at + READ_TOGETHER))) {
        if (stretch.isOver) await stretch.pause()
        if (document) spelt.add(textsOf(document, fields, this.#place.state))
      }
    }
    return spelt
  }
}
