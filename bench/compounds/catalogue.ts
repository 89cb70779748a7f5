import { pick, random, randomInteger } from '../random.ts'
import { withTypo } from '../typos.ts'
import { type CompoundLanguage, compoundWords } from './languages.ts'

export interface CompoundProduct {
  readonly id: string
  readonly title: string
  readonly desc: string
  /** What it is: places in the lists of the language; -1 for what stands alone, and for traps. */
  readonly first: number
  readonly head: number
  /** The head as it is written there. */
  readonly form: string
}

export type CompoundQueryKind = 'head' | 'beginning' | 'apart' | 'typo'

export interface CompoundQuery {
  readonly kind: CompoundQueryKind
  readonly text: string
  /** Whether the product is named by a word that is made of it. */
  readonly isMadeOf: (product: CompoundProduct) => boolean
  /** Whether that, or the word stands there by itself. */
  readonly isRight: (product: CompoundProduct) => boolean
}

const capitalized = (word: string): string => word[0]!.toUpperCase() + word.slice(1)

/** Products whose names are written as one word, most of them seldom, some often, as shops have them. */
export class CompoundCatalogue {
  readonly #language: CompoundLanguage
  readonly #stem: (word: string) => string
  readonly #seed: number

  /** @param stem that of the language */
  constructor(language: CompoundLanguage, stem: (word: string) => string, seed = 7) {
    this.#language = language
    this.#stem = stem
    this.#seed = seed
  }

  *products(count: number): Generator<CompoundProduct> {
    const { heads, firsts, traps, adjectives, materials, from } = compoundWords[this.#language]
    const next = random(this.#seed)
    for (let i = 0; i < count; i++) {
      const brand = capitalized(pick(next, syllables) + pick(next, syllables) + pick(next, syllables))
      const kind = next()
      let first = -1
      let head = -1
      let name: string
      let form = ''
      if (kind < 0.04) name = pick(next, traps)
      else if (kind < 0.06) name = capitalized(wordOf(pick(next, firsts)))
      else {
        head = randomInteger(next, heads.length)
        const [one, many] = heads[head]!
        form = next() < 0.3 ? many : one
        if (kind >= 0.1) first = Math.floor(next() ** 1.5 * firsts.length)
        name = capitalized(first < 0 ? form : linkedOf(firsts[first]!) + form)
      }
      const size = `${20 + randomInteger(next, 180)} cm`
      const title = [brand, name, capitalized(pick(next, adjectives)), size]
      yield {
        id: `${this.#language}-${i}`,
        title: (next() < 0.5
          ? title
          : [name, brand, pick(next, adjectives), `${from} ${pick(next, materials)}`]
        ).join(' '),
        desc: `${capitalized(pick(next, adjectives))}, ${from} ${pick(next, materials)}, ${size}.`,
        first,
        head,
        form,
      }
    }
  }

  /** As many of each kind as there are words for, up to `most`. */
  queries(most: number): CompoundQuery[] {
    const { heads, firsts } = compoundWords[this.#language]
    const next = random(this.#seed + 1)
    const queries: CompoundQuery[] = []
    const drawn = <Item>(list: readonly Item[]): [Item, number][] =>
      list
        .map((item, i): [Item, number] => [item, i])
        .sort(() => next() - 0.5)
        .slice(0, most)
    for (const [[one, many], place] of drawn(heads)) {
      const text = next() < 0.25 ? many : one
      const form = this.#stem(text)
      // Which forms are of one word is for the stemmer to know.
      const isMadeOf = (product: CompoundProduct) =>
        product.head === place && this.#stem(product.form) === form
      const isRight = (product: CompoundProduct) => isMadeOf(product) || has(product, [one, many])
      queries.push({ kind: 'head', text, isMadeOf, isRight })
      queries.push({ kind: 'typo', text: withTypo(one.length < 4 ? many : one, next), isMadeOf, isRight })
    }
    for (const [entry, place] of drawn(firsts)) {
      const text = wordOf(entry)
      const isMadeOf = ({ first }: CompoundProduct) => first === place
      const isRight = (product: CompoundProduct) => isMadeOf(product) || has(product, [text])
      queries.push({ kind: 'beginning', text, isMadeOf, isRight })
      const head = randomInteger(next, heads.length)
      const isBoth = (product: CompoundProduct) => product.first === place && product.head === head
      queries.push({ kind: 'apart', text: `${text} ${heads[head]![0]}`, isMadeOf: isBoth, isRight: isBoth })
    }
    return queries
  }
}

const has = ({ title, desc }: CompoundProduct, words: readonly string[]): boolean =>
  `${title} ${desc}`
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .some(word => words.includes(word))

const syllables = 'ba ro ki len mar tos vel ni dor ska pe lu gra ten os fi ram jo'.split(' ')

/** Before the `|` as it stands before a head without the letters that link, or the word itself behind it. */
function linkedOf(entry: string): string {
  const [base, link = ''] = entry.split('|')
  return isWord(link) ? base! : base! + link
}

function wordOf(entry: string): string {
  const [base, other = ''] = entry.split('|')
  return isWord(other) ? other : base!
}

const isWord = (link: string): boolean => link.length > 2
