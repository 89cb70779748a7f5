import type { Dataset } from 'findling'
import { numbers } from '../../crash/numbers.mjs'

const KINDS = ['lamp', 'chair', 'kettle', 'scarf', 'hammer', 'novel']

/** Products of some kinds, each with a word of the kind and some that all have. The tag of a kind has the round in it. */
export function products(count: number, round = 0, seed = 1): { id: string; title: string; tag: string }[] {
  const random = numbers(seed)
  return Array.from({ length: count }, (_, i) => {
    const kind = KINDS[i % KINDS.length]!
    const title = `${kind} word${random(50)} word${random(50)} word${random(50)}`
    return { id: `p${String(i).padStart(5, '0')}`, title, tag: `${kind}-${round}` }
  })
}

export const fill = (dataset: Dataset, count: number, round = 0) =>
  dataset.documents.bulk(products(count, round))
