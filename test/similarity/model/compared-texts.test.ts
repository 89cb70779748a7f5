import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparedTexts, type SaidInField } from '../../../src/similarity/model/compared-texts.ts'
import { SimilarityIndex } from '../../../src/similarity/model/similarity-index.ts'

const lines = (text: string) => text.split('\n').filter(Boolean)

describe('what is compared of a document', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '7', 'ß'), maxLength: 60 })
  const field: fc.Arbitrary<SaidInField> = fc.oneof(
    text,
    fc.array(text, { maxLength: 3 }),
    fc.constant(undefined),
  )

  it('is all of its texts, each once: short ones of single fields with the title, until these are 200 units', () => {
    fc.assert(
      fc.property(field, fc.array(field, { maxLength: 12 }), (title, others) => {
        const { title: names, body } = comparedTexts(title, others)
        const wanted = [title, ...others].flatMap(one => one ?? []).filter(Boolean)
        expect([...lines(names), ...lines(body)].sort()).toEqual([...wanted].sort())
        let units = 0
        const short = others.filter((one): one is string => {
          const fits = typeof one === 'string' && one.length <= 24 && units + one.length <= 200
          if (fits) units += one.length
          return fits
        })
        expect(lines(names)).toEqual([title ?? [], short].flat().filter(Boolean))
      }),
    )
  })

  it('finds the same product where brand and model number stand in fields of their own, better than in a list', () => {
    const brands = ['Norva', 'Kestrel', 'Lumo', 'Ostrava', 'Pell']
    const things = ['desk lamp', 'garden hose', 'coffee grinder', 'wall clock']
    const products = Array.from({ length: 120 }, (_, i) => ({
      brand: brands[i % 5]!,
      thing: things[i % 4]!,
      model: `${'KLMN'[i % 4]}${(i * 7919) % 1000}X`,
    }))
    const index = new SimilarityIndex()
    for (const [i, { brand, thing, model }] of products.entries()) {
      const title = `${brand} ${thing} ${model} new`
      index.add(`joined-${i}`, comparedTexts(title, ['in stock']))
      index.add(`split-${i}`, comparedTexts(thing, [brand, model, 'in stock']))
      index.add(`lost-${i}`, comparedTexts(thing, [[brand, model, 'in stock']]))
    }
    for (const _ of index.refresh());
    const accepts = (id: string) => id.startsWith('split')
    for (const i of products.keys()) {
      const [nearest] = index.nearest({ id: `joined-${i}` }, { count: 1, accepts })
      expect(nearest!.id).toBe(`split-${i}`)
      const [split, lost] = index.scores({ id: `joined-${i}` }, [`split-${i}`, `lost-${i}`])
      expect(split).toBeGreaterThan(lost! + 0.05)
    }
  })

  it('is hardly changed by a field that says the same of all documents', () => {
    const words = fc.array(fc.constantFrom('lamp', 'hose', 'grinder', 'white', 'x350', 'oak', 'steel'), {
      minLength: 2,
      maxLength: 5,
    })
    fc.assert(
      fc.property(fc.array(words, { minLength: 60, maxLength: 60 }), titles => {
        const [with_, without] = [new SimilarityIndex(), new SimilarityIndex()]
        for (const [i, title] of titles.entries()) {
          with_.add(`${i}`, comparedTexts(title.join(' '), ['available']))
          without.add(`${i}`, comparedTexts(title.join(' '), []))
        }
        for (const index of [with_, without]) for (const _ of index.refresh());
        const ids = titles.map((_, i) => `${i}`)
        const scores = with_.scores({ id: '0' }, ids)
        for (const [i, score] of without.scores({ id: '0' }, ids).entries())
          expect(Math.abs(scores[i]! - score)).toBeLessThan(0.2)
      }),
      { numRuns: 20 },
    )
  })
})
