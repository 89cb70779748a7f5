import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { irregularPlurals, regular } from '../../src/analysis/irregular-plurals.ts'

// Typed here, because natural types its whole package only.
type Inflector = new () => { singularize(word: string): string; pluralize(word: string): string }
const NounInflector: Inflector = createRequire(import.meta.url)(
  'natural/lib/natural/inflectors/noun_inflector.js',
)

describe('an irregular plural', () => {
  it('has the singular that natural knows for it, where that knows one', () => {
    const inflector = new NounInflector()
    const checked: string[] = []
    for (const [plural, singular] of irregularPlurals) {
      if (inflector.pluralize(singular) !== plural) continue
      checked.push(plural)
      expect([plural, regular(plural)]).toEqual([plural, singular])
    }
    expect(checked.length).toBeGreaterThan(15)
  })

  it('is known in words made with man, and in none that only end so', () => {
    for (const word of ['snowmen', 'firemen', 'policewomen', 'craftsmen'])
      expect(regular(word)).toBe(`${word.slice(0, -2)}an`)
    for (const word of ['specimen', 'abdomen', 'regimen', 'cyclamen', 'omen', 'ramen', 'lens', 'dozens'])
      expect(regular(word)).toBe(word)
  })

  it('is one in the genitive without its apostrophe', () => {
    expect(['womens', 'mens', 'childrens'].map(regular)).toEqual(['woman', 'man', 'child'])
  })
})
