import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Dataset, Engine } from 'findling'
import { percentile } from './metrics.ts'
import { progress } from './report.ts'
import type { StoreTask } from './store-measurements.ts'
import { Catalogue, type Product, vocabulary } from './synthetic.ts'
import { inTemporaryFolder } from './temporary.ts'

const settings = { interpretedFields: ['title', 'desc'], language: 'none' as const }
/** Inserts into each dataset where nothing else sets an end. */
const INSERTS = 300
/** Milliseconds between two inserts: somebody writes now and then, and does not wait for room. */
const PAUSE = 2

/** Milliseconds of an insert into the large dataset, and into a small one beside it. */
export interface Wait {
  readonly inserts: number
  readonly large: { readonly p50: number; readonly p99: number }
  readonly small: { readonly p50: number; readonly p99: number }
}

export interface WaitFigures {
  readonly documents: number
  /** The large dataset's index is in memory, and nothing happens to it. */
  readonly quiet: Wait
  /** It is not in memory, and nobody asks for it. */
  readonly absent: Wait
  /** A search waits until it has been loaded. */
  readonly loading: Wait
  /** It is built anew from all documents. */
  readonly building: Wait
}

/** How long does a write wait for an index that is being loaded or built, its own dataset's or another's? */
export async function measureWaits({ documents, evaluationData }: StoreTask): Promise<WaitFigures> {
  const catalogue = new Catalogue(vocabulary(evaluationData))
  return inTemporaryFolder(async folder => {
    const store = join(folder, 'store')
    const first = await Engine.open({ store })
    const filled = await first.datasets.create<Product>('large', settings)
    progress(`store: ${documents} documents, to write beside work on their index`)
    await filled.documents.import(catalogue.products(0, documents))
    await first.datasets.create<Product>('small', settings)
    await filled.search('nothing in particular')
    await first.close()

    const engine = await Engine.open({ store })
    const [large, small] = [engine.datasets.get<Product>('large'), engine.datasets.get<Product>('small')]
    const writer = new Writer(large, small, catalogue, documents)
    progress('store: inserts while an index is absent, loaded and built')
    const absent = await writer.insertWhile(calls => calls < INSERTS)
    const loading = await writer.during(() => large.search('several words of it'))
    const quiet = await writer.insertWhile(calls => calls < INSERTS)
    const building = await writer.during(() => large.optimize().finished)
    if (large.documents.count + small.documents.count !== documents + writer.written)
      throw new Error('not every insert was stored')
    await engine.close()
    return { documents, quiet, absent, loading, building }
  })
}

class Writer {
  written = 0
  readonly #large: Dataset<Product>
  readonly #small: Dataset<Product>
  readonly #catalogue: Catalogue
  readonly #from: number

  constructor(large: Dataset<Product>, small: Dataset<Product>, catalogue: Catalogue, from: number) {
    this.#large = large
    this.#small = small
    this.#catalogue = catalogue
    this.#from = from
  }

  /** Inserts until the work is done, at least once. */
  async during(work: () => Promise<unknown>): Promise<Wait> {
    let isDone = false
    const working = work().finally(() => {
      isDone = true
    })
    const wait = await this.insertWhile(calls => calls === 0 || !isDone)
    await working
    return wait
  }

  async insertWhile(goesOn: (calls: number) => boolean): Promise<Wait> {
    const large: number[] = []
    const small: number[] = []
    while (goesOn(large.length)) {
      large.push(await this.#insert(this.#large))
      small.push(await this.#insert(this.#small))
      await pause(PAUSE)
    }
    return { inserts: large.length, large: spreadOf(large), small: spreadOf(small) }
  }

  async #insert({ documents }: Dataset<Product>): Promise<number> {
    const product = this.#catalogue.product(this.#from + this.written++)
    const start = performance.now()
    await documents.insert(product)
    return performance.now() - start
  }
}

function spreadOf(milliseconds: number[]): { p50: number; p99: number } {
  const ascending = Float64Array.from(milliseconds).sort()
  return { p50: percentile(ascending, 0.5), p99: percentile(ascending, 0.99) }
}
