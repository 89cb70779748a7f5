import { words } from '../contestant.ts'
import { pick, random, randomInteger } from '../random.ts'
import { Catalogue, type Product, syllableWords } from '../synthetic.ts'
import { withTypo } from '../typos.ts'
import type { Caller } from './caller.ts'

export const shop = 'shop'

const TAGS = 12
/** Different products; more documents than these have the texts of others. */
const POOL = 2_000

export type Item = Product & { tag: string[] }

/** Documents of a shop that stays as large as it is, and what is asked of it; at random, but the same each time. */
export class Shop {
  readonly next = random(11)
  readonly documents: number
  readonly tagIds: readonly string[] = Array.from({ length: TAGS }, (_, i) => `tag-${i}`)
  readonly #pool: readonly Product[]

  constructor(documents: number) {
    this.documents = documents
    this.#pool = [...new Catalogue(syllableWords(20_000, 7)).products(0, POOL)]
  }

  item(number: number): Item {
    const product = this.#pool[randomInteger(this.next, POOL)]!
    // A word of its own tells a tag from others.
    const tag = number % TAGS
    return { ...product, id: `p${number}`, title: `${product.title} Kind${tag}`, tag: [this.tagIds[tag]!] }
  }

  items(numbers: readonly number[]): Item[] {
    return numbers.map(number => this.item(number))
  }

  anyNumber(): number {
    return randomInteger(this.next, this.documents)
  }

  /** Two words of a title, one of them misspelt now and then. */
  text(): string {
    const title = words(pick(this.next, this.#pool).title)
    const two = `${pick(this.next, title)} ${pick(this.next, title)}`
    return this.next() < 0.3 ? withTypo(two, this.next) : two
  }

  async open(caller: Caller, dataset = shop): Promise<void> {
    await caller.call({ path: '/api/DataSets', body: this.settings(dataset), status: 201 })
    await caller.call({
      path: '/api/Tags/Bulk',
      dataset,
      body: { Tags: this.tagIds.map(id => ({ Id: id, Name: id, ParentId: null })) },
    })
    for (let from = 0; from < this.documents; from += 500) {
      const numbers = Array.from({ length: Math.min(500, this.documents - from) }, (_, i) => from + i)
      await caller.call({
        path: '/api/Documents/Bulk',
        dataset,
        body: { Documents: this.items(numbers) },
      })
    }
  }

  settings(name: string): object {
    return {
      Name: name,
      IdField: 'id',
      TagField: 'tag',
      NGramCount: 3,
      InterpretedFields: ['title', 'desc'],
      SampleDocument: this.item(0),
    }
  }
}
