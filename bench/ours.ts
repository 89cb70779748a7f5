import { type Dataset, Engine, type EngineOptions } from 'findling'
import { parseSettings } from '../src/datasets/schema/dataset-settings.ts'
import { FulltextIndex } from '../src/fulltext/fulltext-index.ts'
import { compact } from '../src/fulltext/segments/compaction.ts'
import { indexOptions } from '../src/live/indexing.ts'
import {
  type Answer,
  type Ask,
  type Contestant,
  type Index,
  type Indexable,
  type OpenOptions,
  type QueryKind,
  requestedTitleWeight,
} from './contestant.ts'
import { rested } from './rested.ts'

/** A kind that is not in this list is left out of the whole contest. */
const kinds: readonly QueryKind[] = ['term', 'or', 'and', 'phrase', 'typo', 'prefix', 'boosts']

const ranking = 'title-like 4, body 1, words the index does not know are corrected'

/** No answers are kept, unless said so: the same questions are asked again and again. */
const withoutAnswers = { answerCache: 0 }

/** The engine without a folder: what an index in memory is compared with. */
export const findling: Contestant = {
  name: 'findling',
  settings: `in memory, defaults (${ranking}) without \`answerCache\`; keeps the documents too`,
  kinds,
  typoTolerance: 'always',
  documents: 'memory',
  open: (_folder, options) => create(withoutAnswers, options),
}

/** The same with its defaults: what a question that comes again takes until the next write. */
export const findlingKeeping: Contestant = {
  ...findling,
  name: 'findling, answers kept',
  settings:
    'the same, with `answerCache` as it is by default: all questions were asked before, with no write since',
  mostDocuments: 200_000,
  open: (_folder, options) => create({}, options),
}

/** The engine as most of its users meet it. */
export const findlingOnDisk: Contestant = {
  name: 'findling on disk',
  settings: 'the same in a folder, durable on disk: documents lie there, the index is in memory as well',
  kinds,
  typoTolerance: 'always',
  documents: 'disk',
  open: (folder, options) => create({ ...withoutAnswers, store: folder }, options),
  reopening: {
    how: 'Engine.open of its folder',
    async open(folder, options) {
      const engine = await Engine.open({ ...withoutAnswers, store: folder })
      return new FindlingIndex(engine, await engine.datasets.get<Indexable>('products'), options)
    },
  },
}

/** What the engine adds to it, it does without: what an index that keeps no documents is compared with. */
export const findlingIndex: Contestant = {
  name: 'findling, index alone',
  settings:
    'what the engine builds an index anew with, from its sources, without store, documents and checks; a segment each ' +
    '65,536 documents of 32 words, merges as they fall due',
  kinds: ['term'],
  typoTolerance: 'always',
  documents: 'never',
  async open(_folder, { language, limit }) {
    const settings = parseSettings({ interpretedFields: ['title', 'desc'], language })
    return new BareIndex(
      new FulltextIndex({ ...(await indexOptions(settings)), tailDocuments: 65_536 }),
      limit,
    )
  },
}

class BareIndex implements Index {
  constructor(
    private readonly index: FulltextIndex,
    private readonly limit: number,
  ) {}

  add(documents: readonly Indexable[]): void {
    for (const { id, title, desc } of documents) this.index.add(id, [title, desc])
    this.#merge()
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.index.remove(id)
  }

  search({ text }: Ask): Answer[] {
    return this.index.search(text, { limit: this.limit, operator: 'or', typoTolerance: 2 }).hits
  }

  buffers(): number {
    return this.index.bytes
  }

  async close(): Promise<void> {}

  /** The engine has a worker do so. */
  #merge(): void {
    for (let task = this.index.planCompaction(); task; task = this.index.planCompaction())
      this.index.adopt(compact(task))
  }
}

async function create(settings: EngineOptions, options: OpenOptions): Promise<Index> {
  const engine = await Engine.open(settings)
  const dataset = await engine.datasets.create<Indexable>('products', {
    interpretedFields: ['title', 'desc'],
    language: options.language,
  })
  return new FindlingIndex(engine, dataset, options)
}

const ways = {
  term: {},
  or: {},
  and: { operator: 'and' },
  phrase: {},
  typo: {},
  prefix: { operator: 'and', prefix: true },
  boosts: { fields: { title: requestedTitleWeight, desc: 1 } },
} as const satisfies Record<QueryKind, object>

class FindlingIndex implements Index {
  constructor(
    private readonly engine: Engine,
    private readonly dataset: Dataset<Indexable>,
    private readonly options: OpenOptions,
  ) {}

  async add(documents: readonly Indexable[]): Promise<void> {
    if (documents.length === 1) await this.dataset.documents.insert(documents[0]!)
    else await this.dataset.documents.bulk(documents)
  }

  async rested(): Promise<void> {
    await rested(this.engine, this.dataset)
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.engine.write(ids.map(id => ({ type: 'delete', dataset: 'products', id })))
  }

  async search({ kind, text, documents }: Ask): Promise<Answer[]> {
    const query = kind === 'phrase' ? `"${text}"` : text
    const { limit } = this.options
    const { hits } = await this.dataset.search(query, { ...ways[kind], limit, documents })
    return hits
  }

  buffers(): number {
    return this.engine.memory().total
  }

  close(): Promise<void> {
    return this.engine.close()
  }
}
