import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import MiniSearch, { type Options, type SearchOptions } from 'minisearch'
import {
  type Answer,
  type Ask,
  type Contestant,
  type Index,
  type Indexable,
  type OpenOptions,
  type QueryKind,
  requestedTitleWeight,
} from '../contestant.ts'

const variant = (
  { settings, ...own }: Pick<Contestant, 'name' | 'settings' | 'typoTolerance'>,
  { fuzzy, prefix = false }: { fuzzy: number | false; prefix?: boolean },
): Contestant => {
  const optionsOf = ({ documents }: OpenOptions): Options<Indexable> => ({
    fields: ['title', 'desc'],
    storeFields: documents ? ['id', 'title', 'desc', 'brand', 'price', 'stock'] : [],
    searchOptions: { boost: { title: 2 }, fuzzy, prefix },
  })
  return {
    ...own,
    settings:
      `title boosted 2 (best of 1, 2, 3, 5, 8 on the odd queries), ${settings}; ` +
      (prefix
        ? 'every word may be a beginning; '
        : 'prefixes only where they are asked (they cost relevance); ') +
      'removal is "discard", cleaned up later',
    kinds: ['term', 'or', 'and', 'typo', 'prefix', 'boosts'],
    documents: 'asked',
    open: async (folder, options) => new MiniSearchIndex(folder, new MiniSearch(optionsOf(options)), options),
    reopening: {
      how: 'loadJSON',
      async open(folder, options) {
        const json = readFileSync(join(folder, 'minisearch.json'), 'utf8')
        return new MiniSearchIndex(folder, MiniSearch.loadJSON(json, optionsOf(options)), options)
      },
    },
  }
}

export const minisearch = variant(
  {
    name: 'minisearch',
    settings: 'typos: fuzzy .2, the value of its documentation',
    typoTolerance: 'asked',
  },
  { fuzzy: false },
)

/** More careful than its documentation, which is what ranks best. */
export const minisearchCareful = variant(
  {
    name: 'minisearch, fuzzy .1',
    settings: 'fuzzy .1 (best of 0, .1, .2, .3 on the odd queries)',
    typoTolerance: 'always',
  },
  { fuzzy: 0.1 },
)

/** As the example of its README has it. */
export const minisearchEager = variant(
  {
    name: 'minisearch, fuzzy .2, prefixes',
    settings: 'fuzzy .2, the value of its documentation',
    typoTolerance: 'always',
  },
  { fuzzy: 0.2, prefix: true },
)

const ways: Record<Exclude<QueryKind, 'phrase'>, SearchOptions> = {
  term: {},
  or: {},
  and: { combineWith: 'AND' },
  typo: { fuzzy: 0.2 },
  prefix: { combineWith: 'AND', prefix: (_term, at, terms) => at === terms.length - 1 },
  boosts: { boost: { title: requestedTitleWeight } },
}

class MiniSearchIndex implements Index {
  constructor(
    private readonly folder: string,
    private readonly index: MiniSearch<Indexable>,
    private readonly options: OpenOptions,
  ) {}

  add(documents: readonly Indexable[]): void {
    this.index.addAll(documents)
  }

  remove(ids: readonly string[]): void {
    this.index.discardAll(ids)
  }

  search({ kind, text }: Ask): Answer[] {
    if (kind === 'phrase') throw new Error('minisearch has no phrases')
    const found = this.index.search(text, ways[kind])
    return found.slice(0, this.options.limit).map(hit => ({ id: hit.id, score: hit.score, document: hit }))
  }

  save(): Promise<void> {
    return writeFile(join(this.folder, 'minisearch.json'), JSON.stringify(this.index))
  }

  async close(): Promise<void> {}
}
