import { distance } from 'fastest-levenshtein'
import { describe, expect, it } from 'vitest'
import { random } from '../../bench/random.ts'
import { withTypo } from '../../bench/typos.ts'

const query = 'red wireless headphones 9000 xbox'
const variants = Array.from({ length: 2_000 }, (_, seed) => withTypo(query, random(seed)))
const changedWords = variants.map(variant =>
  variant.split(' ').flatMap((word, at) => (word === query.split(' ')[at] ? [] : [at])),
)

describe('withTypo', () => {
  it('changes exactly one word, and only one of four letters or more', () => {
    expect(changedWords.every(changed => changed.length === 1)).toBe(true)
    expect([...new Set(changedWords.flat())].sort()).toEqual([1, 2, 4])
  })

  it('makes one edit: two apart only where neighbours changed places', () => {
    const apart = variants.map(variant => distance(query, variant))
    expect([...new Set(apart)].sort()).toEqual([1, 2])
    const swapped = variants.filter((_, at) => apart[at] === 2)
    expect(
      swapped.every(variant => variant.length === query.length && sorted(variant) === sorted(query)),
    ).toBe(true)
  })

  it('uses every kind of edit about equally', () => {
    const count = (kind: (variant: string) => boolean) => variants.filter(kind).length
    expect(count(variant => variant.length > query.length)).toBeGreaterThan(400)
    expect(count(variant => variant.length < query.length)).toBeGreaterThan(400)
    expect(
      count(variant => variant.length === query.length && distance(query, variant) === 1),
    ).toBeGreaterThan(400)
    expect(count(variant => distance(query, variant) === 2)).toBeGreaterThan(400)
  })

  it('gives the same typo for the same seed', () => {
    expect(withTypo(query, random(7))).toBe(withTypo(query, random(7)))
  })

  it('leaves a query without a word of four letters alone', () => {
    expect(withTypo('tv 65 in', random(1))).toBe('tv 65 in')
  })

  it('alters even a word of one repeated letter', () => {
    expect(withTypo('zzzz', random(3))).not.toBe('zzzz')
  })
})

const sorted = (text: string) => [...text].sort().join('')
