import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import lunr from 'lunr'
import {
  type Answer,
  type Ask,
  type Contestant,
  type Index,
  type Indexable,
  type OpenOptions,
  type QueryKind,
  words,
} from '../contestant.ts'

export const lunrPeer: Contestant = {
  name: 'lunr',
  settings:
    'title boosted 3 (best of 1, 2, 3, 5, 8 on the odd queries), English stemmer and stop words where the language is English; typos: edit distance 1, the word itself boosted 10; an index ' +
    'that is made once: nothing can be added to it or taken out',
  kinds: ['term', 'or', 'and', 'typo', 'prefix'],
  typoTolerance: 'asked',
  documents: 'asked',
  mostDocuments: 10_000,
  open: async (folder, options) => new LunrIndex(folder, options),
  reopening: {
    how: 'Index.load, through JSON',
    async open(folder, options) {
      const saved: object = JSON.parse(readFileSync(join(folder, 'lunr.json'), 'utf8'))
      return new LunrIndex(folder, options, lunr.Index.load(saved))
    },
  },
}

function newBuilder({ language }: OpenOptions): lunr.Builder {
  const builder = new lunr.Builder()
  builder.ref('id')
  builder.field('title', { boost: 3 })
  builder.field('desc')
  builder.pipeline.add(lunr.trimmer)
  if (language === 'english') {
    builder.pipeline.add(lunr.stopWordFilter, lunr.stemmer)
    builder.searchPipeline.add(lunr.stemmer)
  }
  return builder
}

class LunrIndex implements Index {
  readonly #builder: lunr.Builder
  readonly #documents = new Map<string, Indexable>()

  constructor(
    private readonly folder: string,
    private readonly options: OpenOptions,
    private index?: lunr.Index,
  ) {
    this.#builder = newBuilder(options)
  }

  add(documents: readonly Indexable[]): void {
    if (this.index) throw new Error('lunr takes no documents after its first search')
    for (const document of documents) {
      this.#builder.add(document)
      if (this.options.documents) this.#documents.set(document.id, document)
    }
  }

  search({ kind, text, documents }: Ask): Answer[] {
    const found = this.#built().query(query => {
      const terms = words(text)
      for (const [at, term] of terms.entries()) {
        for (const clause of clausesOf(kind, at === terms.length - 1)) query.term(term, clause)
      }
    })
    return found.slice(0, this.options.limit).map(({ ref, score }) => {
      const document = documents ? this.#documents.get(ref) : undefined
      return { id: ref, score, ...(document ? { document } : {}) }
    })
  }

  save(): Promise<void> {
    return writeFile(join(this.folder, 'lunr.json'), JSON.stringify(this.#built()))
  }

  async close(): Promise<void> {}

  #built(): lunr.Index {
    this.index ??= this.#builder.build()
    return this.index
  }
}

function clausesOf(kind: QueryKind, last: boolean): object[] {
  const required = kind === 'and' || kind === 'prefix'
  const presence = required ? lunr.Query.presence.REQUIRED : lunr.Query.presence.OPTIONAL
  if (kind === 'typo') return [{ boost: 10 }, { editDistance: 1 }]
  // A beginning must not be stemmed.
  if (kind === 'prefix' && last)
    return [{ presence, wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false }]
  return [{ presence }]
}
