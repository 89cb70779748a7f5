import * as fc from 'fast-check'
import type { SimilarDocument } from '../../../src/similarity/model/aspects.ts'

const words = [
  'lamp',
  'table',
  'desk',
  'oak',
  'brass',
  'LX-350H',
  'lx350h',
  'lx',
  '65w',
  '65 w',
  '0.5mm',
  '0.5',
  'Büro',
  'of',
  '机',
]

const text = (most: number) =>
  fc.array(fc.constantFrom(...words), { maxLength: most }).map(chosen => chosen.join(' '))

/** Documents that have much in common, some with no title, some with nothing. */
export const someDocument: fc.Arbitrary<SimilarDocument> = fc.record({ title: text(5), body: text(8) })
export const someText = text(8)
export const someId = fc.constantFrom(...Array.from({ length: 40 }, (_, at) => `d${at}`))

/** Documents made of a seed: `count` titles of words that are rare or frequent, each with a body. */
export function manyDocuments(count: number, seed = 1): [id: string, document: SimilarDocument][] {
  let state = seed
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) ** 2 * below)
  }
  const some = (length: number) => Array.from({ length }, () => `w${next(400).toString(36)}x`).join(' ')
  return Array.from({ length: count }, (_, at) => [`m${at}`, { title: some(6), body: some(next(20)) }])
}

export function drain<T>(pieces: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value as T
  }
}
