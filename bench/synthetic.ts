import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type QueryKind, queryKinds, words } from './contestant.ts'
import { percentile } from './metrics.ts'
import { pick, random, randomInteger } from './random.ts'
import { withTypo } from './typos.ts'

export type Product = { id: string; title: string; desc: string; brand: string; price: number; stock: number }

export interface Query {
  readonly kind: QueryKind
  readonly text: string
  /** The words as they stand in the documents: those of the text without its typo. Of a prefix the last is a beginning. */
  readonly meant: readonly string[]
}

/** The most frequent words of a language carry no topic: they stand in descriptions, not in titles and queries. */
const functionWords = 120

/**
 * Product-like documents of about 430 bytes, each made from its number alone, so that any of them can be made again
 * to check an answer without holding them all.
 */
export class Catalogue {
  readonly #anyWord: (next: () => number) => string
  readonly #contentWord: (next: () => number) => string
  readonly #functionWords: ReadonlySet<string>
  readonly #brands: readonly string[]
  readonly #seed: number

  /** `vocabulary`: different words, the most frequent first. */
  constructor(vocabulary: readonly string[], seed = 42) {
    this.#anyWord = zipf(vocabulary, 0)
    this.#contentWord = zipf(vocabulary, functionWords)
    this.#functionWords = new Set(vocabulary.slice(0, functionWords))
    this.#brands = syllableWords(1_200, seed + 1).slice(200)
    this.#seed = seed
  }

  product(number: number): Product {
    const next = random(Math.imul(number + 1, 0x9e3779b1) ^ this.#seed)
    const brand = this.#brands[Math.floor(next() ** 2 * this.#brands.length)]!
    const title = [brand, ...this.#words(4 + randomInteger(next, 5), this.#contentWord, next)]
    title.push(next() < 0.4 ? modelCode(next) : this.#contentWord(next))
    const desc = this.#words(33 + randomInteger(next, 25), this.#anyWord, next)
    return {
      id: `p${number}`,
      title: title.map(word => word[0]!.toUpperCase() + word.slice(1)).join(' '),
      desc: `${desc.join(' ')}.`,
      brand,
      price: Math.round(Math.exp(next() * 6) * 100) / 100,
      stock: randomInteger(next, 50),
    }
  }

  *products(from: number, to: number): Generator<Product> {
    for (let number = from; number < to; number++) yield this.product(number)
  }

  /** Queries whose words occur together in one of the first `documents` products, mostly in its title. */
  queries(kind: QueryKind, count: number, documents: number): Query[] {
    // The kind `boosts` asks what `or` asks, so that the two can be compared.
    const drawn = kind === 'boosts' ? 'or' : kind
    const next = random(this.#seed + queryKinds.indexOf(drawn))
    return Array.from({ length: count }, () => ({ ...this.#query(drawn, documents, next), kind }))
  }

  #query(kind: Exclude<QueryKind, 'boosts'>, documents: number, next: () => number): Omit<Query, 'kind'> {
    const size = sizes[kind](next)
    for (;;) {
      const product = this.product(randomInteger(next, documents))
      const meant =
        kind === 'phrase' ? this.#neighbours(product, size, next) : this.#topicWords(product, size, next)
      if (meant.length < size) continue
      if (kind === 'prefix') meant.push(meant.pop()!.slice(0, 2 + randomInteger(next, 4)))
      const right = meant.join(' ')
      const text = kind === 'typo' ? withTypo(right, next) : right
      if (kind !== 'typo' || text !== right) return { text, meant }
    }
  }

  #topicWords(product: Product, count: number, next: () => number): string[] {
    const title = words(product.title)
    const desc = words(product.desc)
    const draws = Array.from({ length: 4 * count }, () => pick(next, next() < 0.7 ? title : desc))
    return [...new Set(draws.filter(word => this.#isTopical(word)))].slice(0, count)
  }

  /** Words that stand side by side in the title, or less often in the description, at least one of them with a topic. */
  #neighbours(product: Product, count: number, next: () => number): string[] {
    const field = words(next() < 0.7 ? product.title : product.desc)
    const from = randomInteger(next, field.length - count + 1)
    const neighbours = field.slice(from, from + count)
    return neighbours.some(word => this.#isTopical(word)) ? neighbours : []
  }

  #isTopical(word: string): boolean {
    return word.length > 2 && !this.#functionWords.has(word)
  }

  #words(count: number, word: (next: () => number) => string, next: () => number): string[] {
    return Array.from({ length: count }, () => word(next))
  }
}

/** How many words a query of each kind has. */
const sizes: Record<Exclude<QueryKind, 'boosts'>, (next: () => number) => number> = {
  term: () => 1,
  or: () => 3,
  and: next => 2 + randomInteger(next, 2),
  phrase: next => 2 + randomInteger(next, 2),
  typo: next => 1 + randomInteger(next, 3),
  prefix: next => 1 + randomInteger(next, 3),
}

/** English words by frequency where the evaluation data is at hand, else made-up ones. */
export function vocabulary(evaluationData: string | undefined): string[] {
  const path = join(evaluationData ?? '', 'vocab-symspell', 'en-82765.tsv')
  if (evaluationData === undefined || !existsSync(path)) return syllableWords(60_000, 7)
  const all = readFileSync(path, 'utf8')
    .split('\n')
    .map(line => line.split('\t')[0]!)
  return all.filter(word => /^[a-z]{2,}$/.test(word))
}

/** Draws the word of rank r with a probability proportional to 1 / r, leaving out the first `skip` ranks. */
function zipf(ranked: readonly string[], skip: number): (next: () => number) => string {
  const upTo = new Float64Array(ranked.length - skip)
  let total = 0
  for (let rank = 0; rank < upTo.length; rank++) upTo[rank] = total += 1 / (rank + skip + 1)
  return next => ranked[skip + firstAbove(upTo, next() * total)]!
}

function firstAbove(ascending: Float64Array, value: number): number {
  let low = 0
  let high = ascending.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (ascending[middle]! > value) high = middle
    else low = middle + 1
  }
  return low
}

const onsets = 'b c d f g h j k l m n p r s t v w z br ch cl dr fl gr pl pr sh st th tr'.split(' ')
const vowels = 'a e i o u a e i o u ai ea'.split(' ')
const codas = ['', '', '', '', '', '', 'n', 'r', 's', 'l', 't', 'm', 'nd', 'ck']

const syllable = (next: () => number): string => pick(next, onsets) + pick(next, vowels) + pick(next, codas)

/** `count` different pronounceable words, short ones first as in real languages. */
export function syllableWords(count: number, seed: number): string[] {
  const next = random(seed)
  const made = new Set<string>()
  while (made.size < count) {
    const syllables = made.size < 100 ? 1 : made.size < 6_000 ? 2 : 3
    made.add(Array.from({ length: syllables }, () => syllable(next)).join(''))
  }
  return [...made]
}

const letter = (next: () => number): string => pick(next, 'abcdefghijklmnopqrstuvwxyz')

/** As they stand in shops: `xk4120`, `pt72s`. Nearly every one is a new term. */
function modelCode(next: () => number): string {
  return letter(next) + letter(next) + (10 + randomInteger(next, 9_990)) + (next() < 0.3 ? letter(next) : '')
}

/** Bytes of the middle one of the first thousand documents as JSON, a figure for the notes under a table. */
export function typicalBytes(catalogue: Catalogue): number {
  const sizes = [...catalogue.products(0, 1_000)].map(product => Buffer.byteLength(JSON.stringify(product)))
  return percentile(
    sizes.sort((a, b) => a - b),
    0.5,
  )
}
