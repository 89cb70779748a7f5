import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Document } from 'flexsearch'
import type { Answer, Ask, Contestant, Index, Indexable, OpenOptions } from '../contestant.ts'

type Variant = Pick<Contestant, 'name' | 'kinds' | 'typoTolerance'> &
  Partial<Pick<Contestant, 'mostDocuments'>> & { tokenize: 'strict' | 'forward' | 'tolerant' }

const variant = ({ tokenize, ...own }: Variant): Contestant => {
  const build = ({ documents }: OpenOptions) =>
    new Document<Indexable>({ tokenize, document: { id: 'id', index: ['title', 'desc'], store: documents } })
  return {
    ...own,
    settings:
      `tokenize "${tokenize}", its default encoder (best of its encoders, presets and tokenizers on the relevance ` +
      'sets); OR is its "suggest"; fields merged title first; AND holds within one field; answers bear no score',
    documents: 'asked',
    open: async (folder, options) => new FlexSearchIndex(folder, build(options), options),
    reopening: {
      how: 'import of its export',
      async open(folder, options) {
        const index = build(options)
        for (const file of readdirSync(folder)) {
          index.import(decodeURIComponent(file), readFileSync(join(folder, file), 'utf8'))
        }
        return new FlexSearchIndex(folder, index, options)
      },
    },
  }
}

export const flexsearch = variant({
  name: 'flexsearch',
  tokenize: 'strict',
  kinds: ['term', 'or', 'and'],
  typoTolerance: 'never',
})

/** Every word finds what begins with it, so it is asked nothing else. */
export const flexsearchForward = variant({
  name: 'flexsearch forward',
  tokenize: 'forward',
  kinds: ['prefix'],
  typoTolerance: 'never',
  mostDocuments: 200_000,
})

/** It takes 80 KB a document: for collections of thousands, where relevance is measured. */
export const flexsearchTolerant = variant({
  name: 'flexsearch tolerant',
  tokenize: 'tolerant',
  kinds: ['term', 'or', 'and', 'typo'],
  typoTolerance: 'always',
})

class FlexSearchIndex implements Index {
  constructor(
    private readonly folder: string,
    private readonly index: Document<Indexable>,
    private readonly options: OpenOptions,
  ) {}

  add(documents: readonly Indexable[]): void {
    for (const document of documents) this.index.add(document)
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.index.remove(id)
  }

  search({ kind, text, documents }: Ask): Answer[] {
    const { limit } = this.options
    const found = this.index.search(text, {
      limit,
      suggest: kind !== 'and' && kind !== 'prefix',
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
