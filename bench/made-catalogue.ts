import type { ClassifyCollection, Labelled } from './labelled.ts'
import { pick, random, randomInteger } from './random.ts'
import { syllableWords } from './synthetic.ts'

const LEAVES = 1_800
const DEPARTMENTS = 20
const TEST_DOCUMENTS = 2_000

/**
 * Products of 1,800 leaves in 20 departments, made of invented words, each from its number alone. A leaf has words of its
 * own and shares others with its department; one product in ten is named so poorly that only few words tell its leaf.
 * Leaves are as unequal as in shops: the largest has a hundred times the products of the smallest.
 */
export class MadeCatalogue {
  readonly #common: readonly string[]
  readonly #brands: readonly string[]
  readonly #ofDepartment: readonly (readonly string[])[]
  readonly #ofLeaf: readonly (readonly string[])[]
  readonly #seed: number
  readonly #upTo: Float64Array

  constructor(seed = 42) {
    const words = syllableWords(60_000, seed)
    this.#seed = seed
    this.#common = words.slice(0, 3_000)
    this.#brands = words.slice(3_000, 5_000)
    this.#ofDepartment = Array.from({ length: DEPARTMENTS }, (_, i) =>
      words.slice(5_000 + 300 * i, 5_300 + 300 * i),
    )
    this.#ofLeaf = Array.from({ length: LEAVES }, (_, i) => words.slice(12_000 + 20 * i, 12_020 + 20 * i))
    let sum = 0
    this.#upTo = Float64Array.from({ length: LEAVES }, (_, rank) => {
      sum += 1 / (rank + 18)
      return sum
    })
  }

  collection(documents: number): ClassifyCollection {
    const from = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => this.#product(first + i))
    // Far away, so that collections of any size are tested on the same products.
    return { train: from(0, documents), test: from(10_000_000, TEST_DOCUMENTS) }
  }

  #product(number: number): Labelled {
    const next = random(Math.imul(number + 1, 0x9e3779b1) ^ this.#seed)
    const leaf = this.#leaf(next)
    const own = this.#ofLeaf[leaf]!
    const department = this.#ofDepartment[leaf % DEPARTMENTS]!
    const isPoor = next() < 0.1
    const skewed = (words: readonly string[]) => words[Math.floor(next() ** 2 * words.length)]!
    const title = [pick(next, this.#brands), skewed(department), skewed(own)]
    if (!isPoor) title.push(skewed(own), skewed(department))
    for (let i = randomInteger(next, 4); i >= 0; i--) title.push(skewed(this.#common))
    title.push(`${pick(next, 'abcdefgh')}${10 + randomInteger(next, 990)}`)
    const desc = Array.from({ length: 8 + randomInteger(next, 10) }, () => {
      const from = next()
      return skewed(from < 0.6 ? this.#common : from < 0.85 || isPoor ? department : own)
    })
    return { texts: [title.join(' '), desc.join(' ')], tag: `leaf-${leaf}` }
  }

  #leaf(next: () => number): number {
    const wanted = next() * this.#upTo[LEAVES - 1]!
    let low = 0
    let high = LEAVES - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#upTo[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
