import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AnyOrama,
  create,
  insertMultiple,
  load,
  type RawData,
  removeMultiple,
  save,
  search,
} from '@orama/orama'
import {
  type Answer,
  type Ask,
  type Contestant,
  type Index,
  type Indexable,
  type OpenOptions,
  requestedTitleWeight,
} from '../contestant.ts'

export const orama: Contestant = {
  name: 'orama',
  settings:
    'title boosted 3 (best of 1, 2, 3, 5, 8 on the odd queries), no stemming (with it English queries gain .01 nDCG without and lose .05 with ' +
    'tolerance); OR is threshold 1, AND threshold 0, within one field; every word also finds what begins with it; ' +
    'typos: tolerance 1',
  kinds: ['term', 'or', 'and', 'typo', 'prefix', 'boosts'],
  typoTolerance: 'asked',
  documents: 'memory',
  // 9 KB a document.
  mostDocuments: 200_000,
  open: async (folder, options) => new OramaIndex(folder, empty(), options),
  reopening: {
    how: 'load of its save, through JSON',
    async open(folder, options) {
      const index = empty()
      const saved: RawData = JSON.parse(readFileSync(join(folder, 'orama.json'), 'utf8'))
      load(index, saved)
      return new OramaIndex(folder, index, options)
    },
  },
}

const empty = () => create({ schema: { title: 'string', desc: 'string' } as const })

class OramaIndex implements Index {
  constructor(
    private readonly folder: string,
    private readonly index: AnyOrama,
    private readonly options: OpenOptions,
  ) {}

  async add(documents: readonly Indexable[]): Promise<void> {
    await insertMultiple(this.index, [...documents], documents.length)
  }

  async remove(ids: readonly string[]): Promise<void> {
    await removeMultiple(this.index, [...ids], ids.length)
  }

  async search({ kind, text }: Ask): Promise<Answer[]> {
    const { hits } = await search(this.index, {
      term: text,
      properties: ['title', 'desc'],
      boost: { title: kind === 'boosts' ? requestedTitleWeight : 3 },
      threshold: kind === 'and' || kind === 'prefix' ? 0 : 1,
      tolerance: kind === 'typo' ? 1 : 0,
      limit: this.options.limit,
    })
    return hits
  }

  save(): Promise<void> {
    return writeFile(join(this.folder, 'orama.json'), JSON.stringify(save(this.index)))
  }

  async close(): Promise<void> {}
}
