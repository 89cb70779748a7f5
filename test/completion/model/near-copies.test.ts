import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Completions } from '../../../src/completion/model/completions.ts'

function completed(titles: readonly string[], typed: string, limit = 10) {
  const completions = new Completions()
  for (const [id, title] of titles.entries()) completions.add(String(id), title)
  return completions.completeApart(typed, { limit, typoTolerance: 1 })
}

const texts = (...given: Parameters<typeof completed>) => completed(...given).map(({ text }) => text)

const colours = ['red', 'blue', 'green', 'black', 'white']
const phones = colours.map(colour => `Nordic Phone X2, ${colour}`)

describe('titles that differ in a colour', () => {
  it('are one completion, what they have in common, before others and themselves', () => {
    expect(texts([...phones, 'Nordic lamp'], 'nor')).toEqual([
      'Nordic lamp',
      'Nordic Phone X2',
      ...['Nordic Phone X2, red', 'Nordic Phone X2, blue'],
      ...['Nordic Phone X2, black', 'Nordic Phone X2, green', 'Nordic Phone X2, white'],
    ])
    expect(texts([...phones, 'Nordic lamp'], 'nor', 2)).toEqual(['Nordic lamp', 'Nordic Phone X2'])
  })

  it('mark what was typed in what they have in common, and count no documents there', () => {
    expect(completed(phones, 'phone nor', 1)).toEqual([
      {
        text: 'Nordic Phone X2',
        kind: 'title',
        ranges: [
          { start: 0, end: 3 },
          { start: 7, end: 12 },
        ],
        corrected: false,
      },
    ])
  })

  it('stay as they are where the colour was typed', () => {
    expect(texts(phones, 'phone x2 b')).toEqual(['Nordic Phone X2, blue', 'Nordic Phone X2, black'])
  })

  it.each([
    ['Bosch drill (professional, 12 V)', 'Bosch drill (professional, 18 V)', 'Bosch drill'],
    ['Garden hose "Rain" 10 m', 'Garden hose "Rain" 20 m', 'Garden hose "Rain"'],
    ['Nordic "Phone one" red', 'Nordic "Phone two" red', 'Nordic "Phone one" red'],
  ])('%j and %j end before what is not closed: %j', (one, other, common) => {
    expect(texts([one, other], one.slice(0, 3), 1)).toEqual([common])
  })

  it('are the title that has nothing else, where there is one', () => {
    expect(completed([...phones, 'Nordic Phone X2'], 'nordic', 1)).toMatchObject([
      { text: 'Nordic Phone X2', count: 1 },
    ])
  })
})

describe('titles', () => {
  it.each([
    [['Garden hose', 'Garden chair']],
    [['Garden hose of three layers', 'Garden hose with a reel on wheels']],
    [['Drill']],
  ])('%j are no copies', titles => {
    expect(texts(titles, titles[0]![0]!).toSorted()).toEqual(titles.toSorted())
  })

  it('are all there, once, whatever they have in common, if there is room', () => {
    const title = fc
      .array(fc.constantFrom('Lamp', 'Led', 'Low', 'Lot', 'L2'), { minLength: 1, maxLength: 4 })
      .map(words => words.join(' '))
    const check = (titles: string[]) => {
      const found = texts(titles, 'l', 500)
      expect(found).toEqual([...new Set(found)])
      expect(found).toEqual(expect.arrayContaining(titles))
      const more = found.filter(text => !titles.includes(text))
      for (const text of more) expect(titles.filter(one => one.startsWith(text)).length).toBeGreaterThan(1)
    }
    fc.assert(fc.property(fc.array(title, { maxLength: 12 }), check))
  })
})
