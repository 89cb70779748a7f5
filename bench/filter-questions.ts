import { words } from './contestant.ts'
import { pick, random, randomInteger } from './random.ts'
import type { Catalogue, Product } from './synthetic.ts'

/** A product with a field of ten values, one of ten thousand, and a tag. */
export interface FilteredProduct extends Product {
  readonly color: string
  readonly maker: string
  readonly tag: string
}

const colors = 'red blue green black white grey brown yellow orange pink'.split(' ')
const makers = 10_000
const tags = 200

export function filteredProduct(catalogue: Catalogue, number: number): FilteredProduct {
  const next = random(Math.imul(number + 1, 0x85ebca6b))
  return {
    ...catalogue.product(number),
    color: colors[Math.floor(next() ** 2 * colors.length)]!,
    maker: `maker-${Math.floor(next() ** 1.5 * makers)}`,
    tag: `tag-${randomInteger(next, tags)}`,
  }
}

export const filterKinds = [
  'word',
  'range + word',
  'tag + word',
  'brand and range + word',
  '10 values + word',
  '10,000 values + word',
  'order + word',
  'range, 10 values + word',
  'range, 10,000 values',
  'order',
] as const
export type FilterKind = (typeof filterKinds)[number]

/** What is asked: members that are missing are not. */
export interface FilterQuestion {
  readonly kind: FilterKind
  readonly word?: string
  readonly price?: readonly [from: number, to: number]
  readonly brand?: string
  readonly tag?: string
  readonly facet?: 'color' | 'maker'
  readonly byPrice?: boolean
}

/** What everybody must answer: how many match, the ten values that most have, and the ten least prices. */
export interface FilterAnswer {
  readonly total: number
  readonly values?: readonly (readonly [value: string, count: number])[]
  readonly prices?: readonly number[]
}

/** Answers are cut to so many. */
export const mostShown = 10

const share = { least: 0.002, most: 0.05 }
const sampled = 2_000

/** Words that neither few nor many documents have, and that no other word begins with: some engines find these too. */
export function filterQuestions(catalogue: Catalogue, documents: number, ofEach: number): FilterQuestion[] {
  const next = random(77)
  const known = searchableWords(catalogue, Math.min(documents, sampled))
  return filterKinds.flatMap(kind =>
    Array.from({ length: ofEach }, () => {
      const product = filteredProduct(catalogue, randomInteger(next, documents))
      return { kind, ...membersOf(kind, product, pick(next, known)) }
    }),
  )
}

function membersOf(
  kind: FilterKind,
  { price, brand, tag }: FilteredProduct,
  word: string,
): Omit<FilterQuestion, 'kind'> {
  const from = Math.round(price * 50) / 100
  const range = [from, Math.round(from * 300) / 100] as const
  const members: Record<FilterKind, Omit<FilterQuestion, 'kind'>> = {
    word: { word },
    'range + word': { word, price: range },
    'tag + word': { word, tag },
    'brand and range + word': { word, brand, price: range },
    '10 values + word': { word, facet: 'color' },
    '10,000 values + word': { word, facet: 'maker' },
    'order + word': { word, byPrice: true },
    'range, 10 values + word': { word, price: range, facet: 'color' },
    'range, 10,000 values': { price: range, facet: 'maker' },
    order: { byPrice: true },
  }
  return members[kind]
}

function searchableWords(catalogue: Catalogue, documents: number): string[] {
  const frequencies = new Map<string, number>()
  for (const { title, desc } of catalogue.products(0, documents))
    for (const word of new Set(words(`${title} ${desc}`)))
      frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  const sorted = [...frequencies.keys()].sort()
  return sorted.filter((word, i) => {
    const frequency = frequencies.get(word)! / documents
    const isAlone = !sorted[i + 1]?.startsWith(word)
    return isAlone && word.length > 3 && frequency >= share.least && frequency <= share.most
  })
}

/** The answers of a plain scan of all documents; questions whose word others begin with, or that stands somewhere as two, are left out. */
export function scanned(
  catalogue: Catalogue,
  documents: number,
  questions: readonly FilterQuestion[],
): Map<FilterQuestion, FilterAnswer> {
  const asked = new Set(questions.flatMap(({ word }) => word ?? []))
  const beginnings = new Set([...asked].map(word => word.slice(0, 4)))
  const mistaken = new Set<string>()
  const having = new Map<string, FilteredProduct[]>([...asked].map(word => [word, []]))
  const all: FilteredProduct[] = []
  for (let number = 0; number < documents; number++) {
    const { title, desc, ...product } = filteredProduct(catalogue, number)
    const kept = { ...product, title: '', desc: '' }
    all.push(kept)
    for (const written of [words(title), words(desc)])
      for (let i = 1; i < written.length; i++)
        if (asked.has(written[i - 1]! + written[i])) mistaken.add(written[i - 1]! + written[i])
    for (const word of new Set(words(`${title} ${desc}`))) {
      having.get(word)?.push(kept)
      if (!asked.has(word) && beginnings.has(word.slice(0, 4)))
        for (let length = 4; length < word.length; length++) mistaken.add(word.slice(0, length))
    }
  }
  const fair = questions.filter(({ word }) => word === undefined || !mistaken.has(word))
  return new Map(fair.map(question => [question, answerOf(question, having.get(question.word ?? '') ?? all)]))
}

function answerOf(
  { price, brand, tag, facet, byPrice }: FilterQuestion,
  among: readonly FilteredProduct[],
): FilterAnswer {
  const found = among.filter(
    one =>
      (!price || (one.price >= price[0] && one.price <= price[1])) &&
      (brand === undefined || one.brand === brand) &&
      (tag === undefined || one.tag === tag),
  )
  const counts = new Map<string, number>()
  if (facet) for (const one of found) counts.set(one[facet], (counts.get(one[facet]) ?? 0) + 1)
  return {
    total: found.length,
    ...(facet && { values: mostFrequent(counts) }),
    ...(byPrice && {
      prices: found
        .map(one => one.price)
        .sort((a, b) => a - b)
        .slice(0, mostShown),
    }),
  }
}

/** Those that most have, equal ones by value. */
export const mostFrequent = (counts: Iterable<readonly [string, number]>): [string, number][] =>
  Array.from(counts, ([value, count]): [string, number] => [value, count])
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, mostShown)
