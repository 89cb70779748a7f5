import { Engine } from 'findling'
import MiniSearch from 'minisearch'
import { comparedTexts } from '../src/similarity/model/compared-texts.ts'
import { SimilarityIndex } from '../src/similarity/model/similarity-index.ts'
import { words } from './contestant.ts'
import type { Listing } from './matching.ts'
import { OriginalFormulas } from './original-formulas.ts'
import { WordVectors } from './word-vectors.ts'

/** Finds the documents that are most like one. */
export interface Finder {
  /** Ids, best first, at least `count` of them where there are so many. */
  nearest(document: Listing, count: number): string[] | Promise<string[]>
  close?(): Promise<void>
}

export interface SimilarContestant {
  readonly name: string
  readonly settings: string
  /** Without tags it has nothing to go by. */
  readonly needsTags?: boolean
  /** Of one catalogue it is the same as another contestant. */
  readonly needsTwoShops?: boolean
  /** `asked`: what will be asked for, of another shop; whoever takes it in must not answer with it. */
  build(stored: readonly Listing[], asked: readonly Listing[]): Finder | Promise<Finder>
}

/** An index of documents, as a dataset would have it. */
export function similarityOf(documents: readonly Listing[]): SimilarityIndex {
  const index = new SimilarityIndex()
  for (const { id, title, desc } of documents) index.add(id, comparedTexts(title, [desc]))
  for (const _ of index.refresh());
  return index
}

/** Ours first. */
export const similarContestants: readonly SimilarContestant[] = [
  {
    name: 'findling similarity',
    settings: 'title and description of the document asked for; rarity of features from what is stored',
    build(stored) {
      const index = similarityOf(stored)
      return {
        nearest: ({ title, desc }, count) =>
          index.nearest(comparedTexts(title, [desc]), { count }).map(({ id }) => id),
      }
    },
  },
  {
    name: 'findling similarity, both shops stored',
    settings: 'the same with both shops in one index, of which only the other one is accepted in the answer',
    needsTwoShops: true,
    build(stored, asked) {
      const index = similarityOf([...stored, ...asked])
      const accepted = new Set(stored.map(({ id }) => id))
      const accepts = (id: string) => accepted.has(id)
      return { nearest: ({ id }, count) => index.nearest({ id }, { count, accepts }).map(hit => hit.id) }
    },
  },
  {
    name: 'findling search',
    settings: 'BM25 more-like-this: `dataset.search` with the title, any of its words',
    async build(stored) {
      const engine = await Engine.open()
      const dataset = await engine.datasets.create<{ id: string; title: string; desc: string }>('listings', {
        interpretedFields: ['title', 'desc'],
        language: 'english',
      })
      await dataset.documents.bulk(stored.map(({ id, title, desc }) => ({ id, title, desc })))
      return {
        nearest: async ({ title }, count) =>
          (await dataset.search(words(title).join(' '), { limit: count, documents: false })).hits.map(
            ({ id }) => id,
          ),
        close: () => engine.close(),
      }
    },
  },
  {
    name: 'TF-IDF words',
    settings: 'cosine of word vectors of title and description, smooth idf, logarithmic frequencies',
    build(stored) {
      const vectors = new WordVectors(stored.map(({ id, title, desc }) => [id, `${title} ${desc}`]))
      return { nearest: ({ title, desc }, count) => vectors.nearest(`${title} ${desc}`, count) }
    },
  },
  {
    name: 'minisearch',
    settings: 'the title as a query, any of its words, title boosted 2',
    build(stored) {
      const index = new MiniSearch<Listing>({
        fields: ['title', 'desc'],
        searchOptions: { boost: { title: 2 } },
      })
      index.addAll(stored)
      return {
        nearest: ({ title }, count) =>
          index
            .search(title)
            .slice(0, count)
            .map(({ id }) => id),
      }
    },
  },
  {
    name: 'the original formulas',
    settings: 'dictionary of the first tag of the document, ten times the candidates of the original',
    needsTags: true,
    build(stored) {
      const original = new OriginalFormulas(stored)
      return { nearest: (document, count) => original.nearest(document, count) }
    },
  },
]
