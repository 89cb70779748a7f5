import { type Dataset, Engine } from 'findling'
import type { Answer, Ask, Contestant, Index, Indexable, OpenOptions } from './contestant.ts'

/** The engine as its users meet it: defaults, documents and index durable in a folder. */
export const findling: Contestant = {
  name: 'findling',
  settings:
    'defaults (title-like 3, body 1, words the index does not know are corrected); documents lie on disk',
  typoTolerance: 'always',
  documents: 'disk',
  reopening: 'Engine.open of its folder',
  async open(folder, options) {
    const engine = await Engine.open({ store: folder })
    const dataset = await engine.datasets.create<Indexable>('products', {
      interpretedFields: ['title', 'desc'],
      language: options.language,
    })
    return new FindlingIndex(engine, dataset, options)
  },
  async reopen(folder, options) {
    const engine = await Engine.open({ store: folder })
    return new FindlingIndex(engine, await engine.datasets.get<Indexable>('products'), options)
  },
}

class FindlingIndex implements Index {
  constructor(
    private readonly engine: Engine,
    private readonly dataset: Dataset<Indexable>,
    private readonly options: OpenOptions,
  ) {}

  async add(documents: readonly Indexable[]): Promise<void> {
    await this.dataset.documents.bulk(documents)
  }

  async search(query: string, { operator, documents }: Ask): Promise<Answer[]> {
    const { hits } = await this.dataset.search(query, { limit: this.options.limit, operator, documents })
    return hits
  }

  async save(): Promise<void> {}

  close(): Promise<void> {
    return this.engine.close()
  }
}
