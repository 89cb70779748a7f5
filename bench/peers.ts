import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AnyOrama, create, insertMultiple, load, type RawData, save, search } from '@orama/orama'
import { Document } from 'flexsearch'
import MiniSearch, { type Options } from 'minisearch'
import type { Answer, Contestant, Index, Indexable, OpenOptions } from './contestant.ts'

const fields = ['title', 'desc'] as const

const minisearch: Contestant = {
  name: 'minisearch',
  settings:
    'title boosted 3 (best of 1, 2, 3 on the relevance sets), no prefix search (it costs relevance there); ' +
    'typos: fuzzy .2, the value of its documentation',
  typoTolerance: 'asked',
  documents: 'asked',
  reopening: 'loadJSON',
  open: async (folder, options) =>
    new MiniSearchIndex(folder, new MiniSearch(miniSearchOptions(options)), options),
  async reopen(folder, options) {
    const json = readFileSync(join(folder, 'minisearch.json'), 'utf8')
    return new MiniSearchIndex(folder, MiniSearch.loadJSON(json, miniSearchOptions(options)), options)
  },
}

const miniSearchOptions = ({ documents }: OpenOptions): Options<Indexable> => ({
  fields: [...fields],
  storeFields: documents ? ['id', 'title', 'desc', 'brand', 'price', 'stock'] : [],
  searchOptions: { boost: { title: 3 } },
})

class MiniSearchIndex implements Index {
  constructor(
    private readonly folder: string,
    private readonly index: MiniSearch<Indexable>,
    private readonly options: OpenOptions,
  ) {}

  add(documents: readonly Indexable[]): void {
    this.index.addAll(documents)
  }

  search(query: string, { operator, typos }: Parameters<Index['search']>[1]): Answer[] {
    const combineWith = operator === 'and' ? 'AND' : 'OR'
    const found = this.index.search(query, { combineWith, fuzzy: typos ? 0.2 : false })
    return found.slice(0, this.options.limit).map(hit => ({ id: hit.id, score: hit.score, document: hit }))
  }

  save(): Promise<void> {
    return writeFile(join(this.folder, 'minisearch.json'), JSON.stringify(this.index))
  }

  async close(): Promise<void> {}
}

const flexsearch = (
  name: string,
  tokenize: 'strict' | 'tolerant',
  typoTolerance: 'always' | 'never',
): Contestant => {
  const build = ({ documents }: OpenOptions) =>
    new Document<Indexable>({
      tokenize,
      document: { id: 'id', index: [...fields], store: documents },
    })
  return {
    name,
    settings:
      `tokenize "${tokenize}", its default encoder (best of its encoders, presets and tokenizers on the relevance ` +
      'sets); OR is its "suggest"; fields merged title first; AND holds within one field; answers bear no score',
    typoTolerance,
    documents: 'asked',
    // The tolerant one takes 80 KB a document.
    ...(tokenize === 'tolerant' ? { mostDocuments: 5_000 } : {}),
    reopening: 'import of its export',
    open: async (folder, options) => new FlexSearchIndex(folder, build(options), options),
    async reopen(folder, options) {
      const index = build(options)
      for (const file of readdirSync(folder)) {
        index.import(decodeURIComponent(file), readFileSync(join(folder, file), 'utf8'))
      }
      return new FlexSearchIndex(folder, index, options)
    },
  }
}

class FlexSearchIndex implements Index {
  constructor(
    private readonly folder: string,
    private readonly index: Document<Indexable>,
    private readonly options: OpenOptions,
  ) {}

  add(documents: readonly Indexable[]): void {
    for (const document of documents) this.index.add(document)
  }

  search(query: string, { operator, documents }: Parameters<Index['search']>[1]): Answer[] {
    const { limit } = this.options
    const found = this.index.search(query, {
      limit,
      suggest: operator === 'or',
      enrich: documents,
      merge: true,
    })
    return found.slice(0, limit).map(({ id, doc }) => ({ id: String(id), ...(doc ? { document: doc } : {}) }))
  }

  async save(): Promise<void> {
    const parts: [string, string][] = []
    await this.index.export(async (key, data) => {
      parts.push([key, data])
    })
    for (const [key, data] of parts) {
      if (data !== undefined) await writeFile(join(this.folder, encodeURIComponent(key)), data)
    }
  }

  async close(): Promise<void> {}
}

const orama: Contestant = {
  name: 'orama',
  settings:
    'title boosted 3 (best of 1, 2, 3), no stemming (with it English queries gain .01 nDCG without and lose .05 with ' +
    'tolerance); OR is threshold 1, AND threshold 0, within one field; a word also finds what begins with it; typos: tolerance 1',
  typoTolerance: 'asked',
  documents: 'always',
  reopening: 'load of its save, through JSON',
  open: async (folder, options) => new OramaIndex(folder, emptyOrama(), options),
  async reopen(folder, options) {
    const index = emptyOrama()
    const saved: RawData = JSON.parse(readFileSync(join(folder, 'orama.json'), 'utf8'))
    load(index, saved)
    return new OramaIndex(folder, index, options)
  },
}

const emptyOrama = () => create({ schema: { title: 'string', desc: 'string' } as const })

class OramaIndex implements Index {
  constructor(
    private readonly folder: string,
    private readonly index: AnyOrama,
    private readonly options: OpenOptions,
  ) {}

  async add(documents: readonly Indexable[]): Promise<void> {
    await insertMultiple(this.index, [...documents], documents.length)
  }

  async search(query: string, { operator, typos }: Parameters<Index['search']>[1]): Promise<Answer[]> {
    const { hits } = await search(this.index, {
      term: query,
      properties: [...fields],
      boost: { title: 3 },
      threshold: operator === 'or' ? 1 : 0,
      tolerance: typos ? 1 : 0,
      limit: this.options.limit,
    })
    return hits
  }

  save(): Promise<void> {
    return writeFile(join(this.folder, 'orama.json'), JSON.stringify(save(this.index)))
  }

  async close(): Promise<void> {}
}

export const peers: readonly Contestant[] = [
  minisearch,
  flexsearch('flexsearch', 'strict', 'never'),
  flexsearch('flexsearch tolerant', 'tolerant', 'always'),
  orama,
]
