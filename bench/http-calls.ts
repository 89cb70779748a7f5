import { Engine } from 'findling'
import { type Rate, rateOf } from './measure.ts'
import { random, randomInteger } from './random.ts'
import { Catalogue, type Product, vocabulary } from './synthetic.ts'
import { inTemporaryFolder } from './temporary.ts'

/** Each once by the engine and once over HTTP. */
export const operations = ['get', 'insert', 'bulk'] as const
export type Operation = (typeof operations)[number]

export const inBulk = 100
/** Documents that are there when measuring begins. */
export const stored = 5_000

export interface CallTask {
  /** Of each kind of call. */
  readonly seconds: number
  readonly evaluationData: string | undefined
}

/** Contents of a small pool under ever new ids, and ids that are stored already. */
export class Supply {
  readonly #pool: readonly Product[]
  readonly #next = random(5)
  given = 0

  constructor(evaluationData: string | undefined) {
    const products = new Catalogue(vocabulary(evaluationData)).products(0, 2_000)
    // The contract has every document tagged.
    this.#pool = Array.from(products, product => ({ ...product, tag: ['a'] }))
  }

  get sample(): Product {
    return this.#pool[0]!
  }

  product(): Product {
    return { ...this.#pool[this.given % this.#pool.length]!, id: `p${this.given++}` }
  }

  products(count: number): Product[] {
    return Array.from({ length: count }, () => this.product())
  }

  knownId(): string {
    return `p${randomInteger(this.#next, stored)}`
  }
}

/** The plain calls of the engine, one after the other, on a store like that of the server. */
export async function measureEngine({ seconds, evaluationData }: CallTask): Promise<Record<Operation, Rate>> {
  const supply = new Supply(evaluationData)
  return await inTemporaryFolder(async folder => {
    const engine = await Engine.open({ store: folder, answerCache: 0 })
    const { documents } = await engine.datasets.create<Product>('products', {
      sample: supply.sample,
      interpretedFields: ['title', 'desc'],
      validation: 'strict',
    })
    await documents.bulk(supply.products(stored))
    if (documents.count !== stored) throw new Error(`${documents.count} of ${stored} were stored`)
    const rate = (call: () => Promise<unknown>) => rateOf([undefined], call, { seconds })
    const get = await rate(async () => {
      const id = supply.knownId()
      if ((await documents.get(id))?.id !== id) throw new Error(`the engine did not return ${id}`)
    })
    const insert = await rate(() => documents.insert(supply.product()))
    const bulk = await rate(() => documents.bulk(supply.products(inBulk)))
    if (documents.count !== supply.given) throw new Error(`${documents.count} of ${supply.given} were stored`)
    await engine.close()
    return { get, insert, bulk }
  })
}
