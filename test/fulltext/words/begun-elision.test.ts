import { describe, expect, it } from 'vitest'
import { MadeIndex } from './made-index.ts'

const titles = [
  "L'école de musique",
  'L’amour fou',
  "Dell'arte povera",
  "L'hôtel",
  'Le livre',
  'La mer',
  "Dr J's shop",
]
const index = new MadeIndex(titles)

describe('a text that is typed letter by letter', () => {
  it('finds what begins with an article without its vowel, at every letter', () => {
    for (const title of titles) {
      const [first = ''] = title.split(' ')
      for (let length = 1; length <= first.length; length++) {
        const typed = first.slice(0, length)
        const found = index.found(typed, { prefix: true, operator: 'and', typoTolerance: 0 })
        expect([typed, found]).toEqual([typed, expect.arrayContaining([title])])
      }
    }
  })

  it('is one word where nothing is elided, and where it is finished', () => {
    const words = (text: string, prefix = true) =>
      index.words(text, { prefix, operator: 'and', typoTolerance: 0 }).map(({ word }) => word)
    expect(words("j's")).toEqual(['js'])
    expect(words("l'é")).toEqual(['l', 'e'])
    expect(words("l'é", false)).toEqual(['le'])
    expect(words("l'é ")).toEqual(['le'])
    expect(words("bl'é")).toEqual(['ble'])
  })
})
