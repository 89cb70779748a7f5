import fc from 'fast-check'
import type { Dataset, SearchOptions } from 'findling'

export type Article = {
  id: string
  title: string
  text: string
  price: number
  brand: string
  active: boolean
  tag: string[]
}

/** Numbers from 0 to below 1, the same for the same seed. */
export function numbersOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** What documents say: among the words of each line some are like those of the other. */
const shown =
  'lamp lamps running run garden hose gardenhose drill drills wireless headphones screen 27in inch cordless blue red chair seat xr500 xr500b café'
const kept =
  'lanp lampe runs runner gardn garden hoses drlll wirless headphone flatscreen 27inch 27 cord less blau rot bench xr501 xr500c cafe secretword hidden screens dril generous'
const nobodys =
  'lampp gardenn hosee wirelss headfones xr50 chiar zzz generously secretwrd screne runing drillls'

const wordsOf = (line: string) => line.split(' ')

/** As likely as where it stands in the list is near the first. */
const oneOf = (words: readonly string[], random: () => number) =>
  words[Math.floor(random() * random() * words.length)]!

/** Documents of which some are not active; these have words that the others have not. */
export function madeArticles(count: number, random: () => number): Article[] {
  return Array.from({ length: count }, (_, i) => {
    const active = random() < 0.5
    const words = active ? wordsOf(shown) : [...wordsOf(kept), ...wordsOf(shown)]
    const some = (most: number) =>
      Array.from({ length: 1 + Math.floor(random() * most) }, () => oneOf(words, random)).join(' ')
    return {
      id: `a${i}`,
      title: some(4),
      text: some(8),
      price: Math.floor(random() * 9) * 10,
      brand: active ? oneOf(['acme', 'bolt', 'cozy'], random) : oneOf(['acme', 'dark', 'evil'], random),
      active,
      tag: [oneOf(active ? ['lamps', 'tools'] : ['secret', 'lamps', 'tools'], random)],
    }
  })
}

export const articleSettings = {
  interpretedFields: ['title', 'text'],
  synonyms: [{ synonyms: ['seat', 'bench', 'chair'] }, { root: 'light', synonyms: ['lamp', 'secretword'] }],
  stopWords: ['the'],
}

const typedWord = fc.constantFrom(
  ...new Set([...wordsOf(shown), ...wordsOf(kept), ...wordsOf(nobodys), 'the', 'light']),
)
const part = fc.oneof(
  { weight: 8, arbitrary: typedWord },
  {
    weight: 1,
    arbitrary: fc.array(typedWord, { minLength: 2, maxLength: 3 }).map(all => `"${all.join(' ')}"`),
  },
  { weight: 1, arbitrary: typedWord.map(word => `-${word}`) },
  { weight: 1, arbitrary: typedWord.map(word => word.slice(0, 3)) },
  { weight: 1, arbitrary: fc.tuple(typedWord, typedWord).map(both => both.join('')) },
)
export const typedText = fc.array(part, { minLength: 1, maxLength: 4 }).map(all => all.join(' '))

const filters = [
  'price:>30',
  'brand:(acme OR evil)',
  'title:l*',
  'title:lamp~',
  { brand: { ne: 'bolt' } },
  'active:false OR price:20',
  'tag:secret OR tag:lamps',
  '"garden hose" OR title:"lamp"',
  '-title:"red chair"',
]

/** Everything by which what is found may differ, with a limit above what there is. */
export const askedOptions: fc.Arbitrary<SearchOptions<Article>> = fc.record(
  {
    operator: fc.constantFrom('or', 'and'),
    prefix: fc.boolean(),
    relax: fc.boolean(),
    typoTolerance: fc.constantFrom<NonNullable<SearchOptions['typoTolerance']>>(
      0,
      1,
      2,
      { disableOnFields: ['title'] },
      { disableOnCodes: true, disableOnWords: ['lanp'] },
    ),
    fields: fc.constantFrom(['title'], { title: 3, text: 0.5 }),
    exclusion: fc.boolean(),
    synonyms: fc.boolean(),
    stopWords: fc.boolean(),
    total: fc.constantFrom('exact', 'estimate'),
    filter: fc.constantFrom(...filters),
    tags: fc.constantFrom(['lamps'], ['secret'], ['all']),
    facets: fc.constant([
      { field: 'brand', disjunctive: true },
      { field: 'price', histogram: 3, ranges: [{ to: 30 }] },
      { field: 'tag' },
      { field: 'active', disjunctive: true },
    ]),
    pinned: fc.constant([
      { id: 'a1', position: 1 },
      { id: 'a2', position: 3 },
      { id: 'a3', position: 3 },
    ]),
    hidden: fc.constant(['a4', 'a5']),
    sort: fc.constantFrom(['price:asc'], ['brand:desc', 'price']),
  },
  { requiredKeys: [] },
)

export const ALL = 5000

/** What an answer tells of documents and words, without scores and order. */
export async function toldBy(
  dataset: Dataset<Article>,
  text: string,
  options: SearchOptions<Article>,
): Promise<unknown> {
  const { hits, words, total, relaxed, facets, truncated } = await dataset.search(text, {
    ...options,
    limit: ALL,
    highlight: true,
  })
  return {
    ids: hits.map(({ id }) => id).sort(),
    highlights: Object.fromEntries(hits.map(({ id, highlights }) => [id, highlights])),
    words,
    total: total.count,
    relaxed,
    facets,
    truncated,
  }
}
