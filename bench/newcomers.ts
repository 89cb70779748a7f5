import type { Index } from './contestant.ts'
import type { Catalogue, Product } from './synthetic.ts'

/** Each second, while others search. */
export const writtenPerSecond = 100

const poolSize = 1_000

/** Products without end that cost nothing while they are measured: known texts under new ids and new model codes. */
export class Newcomers {
  readonly #pool: readonly Product[]
  #given = 0
  #number = 0

  constructor(catalogue: Catalogue) {
    this.#pool = [...catalogue.products(0, poolSize)]
  }

  next(): Product {
    const known = this.#pool[this.#given % poolSize]!
    const code = codeOf(this.#number)
    this.#given++
    do this.#number++
    while (repeated.test(codeOf(this.#number)))
    return { ...known, id: `new-${code}`, title: `${known.title} ${code}` }
  }
}

export const codeOfNewcomer = ({ id }: Pick<Product, 'id'>): string => id.slice('new-'.length)

/** Like the codes of the catalogue, with more digits than any of them. */
function codeOf(number: number): string {
  const letters = String.fromCharCode(97 + ((number * 7) % 26), 97 + ((number * 11) % 26))
  return letters + (10_101 + number)
}

/** Encoders such as FlexSearch's take `1111` for `1`, of which there would be many. */
const repeated = /(.)\1/

/** Adds a document every ten milliseconds for as long as it is called; what it missed, it makes up for. */
export class Writer {
  readonly #index: Index
  readonly #newcomers: Newcomers
  readonly #start = performance.now()
  #written = 0
  #latest: Product | undefined
  #adding: Promise<unknown> = Promise.resolve()

  constructor(index: Index, newcomers: Newcomers) {
    this.#index = index
    this.#newcomers = newcomers
  }

  readonly keepUp = (): void => {
    const due = ((performance.now() - this.#start) * writtenPerSecond) / 1_000
    for (; this.#written < Math.floor(due); this.#written++) {
      this.#latest = this.#newcomers.next()
      const added = this.#index.add([this.#latest])
      if (added) this.#adding = Promise.all([this.#adding, added])
    }
  }

  /** Fails unless the last of them is found. */
  async finish(): Promise<void> {
    await this.#adding
    if (this.#latest) await assertFinds(this.#index, this.#latest)
  }
}

export async function assertFinds(index: Index, newcomer: Product): Promise<void> {
  const hits = await index.search({ kind: 'term', text: codeOfNewcomer(newcomer), documents: false })
  if (!hits.some(({ id }) => id === newcomer.id)) throw new Error(`"${newcomer.title}" was added, not found`)
}
