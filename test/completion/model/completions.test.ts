import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../../src/analysis/fold.ts'
import { Completions } from '../../../src/completion/model/completions.ts'
import { beginsNear, naiveCompletions } from './naive-completions.ts'

function completionsOf(titles: readonly string[]): Completions {
  const completions = new Completions()
  for (const [i, title] of titles.entries()) completions.add(`d${i}`, title)
  return completions
}

const all = { limit: 100, typoTolerance: 1 } as const
const textsOf = (titles: readonly string[], typed: string, limit = 100) =>
  completionsOf(titles)
    .complete(typed, { limit, typoTolerance: 1 })
    .map(({ text }) => text)

/** The title with what was typed in brackets. */
function marked(title: string, typed: string): string | undefined {
  const [found] = completionsOf([title]).complete(typed, all)
  if (!found) return undefined
  let [text, at] = ['', 0]
  for (const { start, end } of found.ranges) {
    text += `${title.slice(at, start)}[${title.slice(start, end)}]`
    at = end
  }
  return text + title.slice(at)
}

describe('complete', () => {
  it('finds titles of which a word begins as typed', () => {
    expect(textsOf(['Table lamp', 'Lace curtain', 'Sofa'], 'la')).toEqual(['Lace curtain', 'Table lamp'])
    expect(textsOf(['Table lamp'], 'mp')).toEqual([])
  })

  it('wants a word for every typed word', () => {
    expect(textsOf(['Table lamp', 'Table', 'Lamp'], 'ta la')).toEqual(['Table lamp'])
  })

  it('does not mind case, accents and punctuation', () => {
    expect(textsOf(['Crème brûlée'], 'CREME-bru')).toEqual(['Crème brûlée'])
    expect(textsOf(['STRASSE'], 'straße')).toEqual(['STRASSE'])
  })

  it('gives equal titles once and says how many documents have it', () => {
    const [first, second, ...more] = completionsOf(['Lamp', 'lamp', 'Lamp']).complete('l', all)
    expect([first, second].map(found => [found?.text, found?.count])).toEqual([
      ['Lamp', 2],
      ['lamp', 1],
    ])
    expect(more).toEqual([])
  })

  it('puts titles that begin so first, then words in the order typed, then words in any order', () => {
    const titles = ['Sofa red', 'A red big sofa', 'Red sofa of leather']
    expect(textsOf(titles, 'red so')).toEqual(['Red sofa of leather', 'A red big sofa', 'Sofa red'])
  })

  it('takes the words before the last as whole where it says how a title begins', () => {
    expect(textsOf(['Redwood sofa', 'Redwood sofa', 'Red sofa set'], 'red so')).toEqual([
      'Red sofa set',
      'Redwood sofa',
    ])
  })

  it('puts the title of more documents first, then the shorter one, then goes by text', () => {
    const titles = ['Lamp b', 'Lamp a', 'Lamp', 'Lamps for children', 'Lamps for children']
    expect(textsOf(titles, 'lam')).toEqual(['Lamps for children', 'Lamp', 'Lamp a', 'Lamp b'])
  })

  it('gives no more than asked for', () => {
    expect(textsOf(['a1', 'a2', 'a3'], 'a', 2)).toEqual(['a1', 'a2'])
    expect(textsOf(['a1'], 'a', 0)).toEqual([])
  })

  it('has nothing to say to nothing', () => {
    for (const typed of ['', '   ', '!?', '\u0000', '\ud83d']) expect(textsOf(['a'], typed)).toEqual([])
  })

  it('finds Han and kana by the characters that a word begins with', () => {
    expect(textsOf(['日本語入門', '日曜大工'], '日本')).toEqual(['日本語入門'])
    expect(textsOf(['日本語入門', '日曜大工'], '日')).toEqual(['日曜大工', '日本語入門'])
  })
})

describe('typing errors', () => {
  it.each([
    ['tabel', 'swapped letters'],
    ['tsble', 'another letter'],
    ['tble', 'a missing letter'],
    ['tabble', 'a letter too many'],
    ['atble', 'an error at the beginning'],
    ['tablr', 'an error at the end'],
  ])('are corrected: %s (%s)', typed => {
    const [found] = completionsOf(['Big table lamp']).complete(typed, all)
    expect(found).toMatchObject({ text: 'Big table lamp', corrected: true })
  })

  it('are corrected in beginnings of words', () => {
    expect(textsOf(['Wireless keyboard'], 'wierl')).toEqual(['Wireless keyboard'])
    expect(textsOf(['Wireless keyboard'], 'wireless kebyo')).toEqual(['Wireless keyboard'])
  })

  it('are not looked for where some title has all words as typed', () => {
    const found = completionsOf(['Tabel', 'Table']).complete('tabel', all)
    expect(found.map(({ text, corrected }) => [text, corrected])).toEqual([['Tabel', false]])
  })

  it('are looked for where no title has all words together, though each is known', () => {
    expect(textsOf(['Form of wax', 'Letter from Rome', 'Chair'], 'letter form')).toEqual(['Letter from Rome'])
  })

  it('are looked for in the words that begin no known word before all others', () => {
    expect(textsOf(['Lamb shade', 'Lamp shape'], 'lamb shaqe')).toEqual(['Lamb shade'])
  })

  it('put titles with fewer corrected words first', () => {
    const titles = ['Lamp shade', 'Lamb shade', 'Lamp shame']
    expect(textsOf(titles, 'lamb shame')).toEqual(['Lamb shade', 'Lamp shame', 'Lamp shade'])
  })

  it('are not looked for in words of one or two letters and in numbers', () => {
    for (const typed of ['xa', 'q', '1235']) expect(textsOf(['Table 1234', 'ya'], typed)).toEqual([])
  })

  it('are left alone when they are not tolerated', () => {
    expect(completionsOf(['Table']).complete('tabel', { limit: 5, typoTolerance: 0 })).toEqual([])
  })
})

describe('ranges', () => {
  it('mark what of the title was typed', () => {
    expect(marked('Table lamp', 'la')).toBe('Table [la]mp')
    expect(marked('Table lamp', 'lamp ta')).toBe('[Ta]ble [lamp]')
  })

  it('follow the order typed where the title has a word twice', () => {
    expect(marked('Red sofa red', 'sofa re')).toBe('Red [sofa] [re]d')
    expect(marked('Red sofa red', 'red red')).toBe('[Red] sofa [red]')
  })

  it('stand in the title as it was given', () => {
    expect(marked('Die große Straße', 'gross stras')).toBe('Die [groß]e [Straß]e')
    expect(marked('Cafe\u0301s', 'cafe')).toBe('[Cafe\u0301]s')
    expect(marked('ﬁne 😀 𝐅𝐢𝐧𝐞', 'fi fin')).toBe('[ﬁ]ne 😀 [𝐅𝐢𝐧]𝐞')
  })

  it('count no apostrophes and separators, which words do not have', () => {
    for (const typed of ["O'Nei", 'O’Nei', 'onei'])
      expect(marked("O'Neill's bar", typed)).toBe("[O'Nei]ll's bar")
    expect(marked("O'Neill's bar", 'o')).toBe("[O]'Neill's bar")
    expect(marked("O'Neill's bar", 'oneills ba')).toBe("[O'Neill's] [ba]r")
    expect(marked('Power bank 20,000mAh', '20000m')).toBe('Power bank [20,000m]Ah')
  })

  it('of neighbouring pairs of Han and kana are one', () => {
    expect(marked('新しい日本語入門', '日本語')).toBe('新しい[日本語]入門')
  })

  it('mark what a corrected word stands for', () => {
    expect(marked('Table lamp', 'tabel')).toBe('[Table] lamp')
    expect(marked('Wireless keyboard', 'wirles')).toBe('[Wireles]s keyboard')
    expect(marked('Lamp', 'lampx')).toBe('[Lamp]')
  })

  it('are in order, apart, not empty and inside the title, whatever is typed', () => {
    const words = fc.array(fc.constantFrom('Straße', 'ﬁne', 'e\u0301te', '日本語', '𝐅', '½', 'ab', 'abc'), {
      minLength: 1,
    })
    fc.assert(
      fc.property(words, words, (title, typed) => {
        const [found] = completionsOf([title.join(' ')]).complete(typed.join(' '), all)
        let before = -1
        for (const { start, end } of found?.ranges ?? []) {
          expect(start).toBeGreaterThan(before)
          expect(end).toBeGreaterThan(start)
          before = end
        }
        expect(before).toBeLessThanOrEqual(title.join(' ').length)
      }),
    )
  })
})

describe('long and hostile text', () => {
  it('of a title counts and is returned up to 200 characters', () => {
    const title = `${'word '.repeat(39)}last secret`
    const completions = completionsOf([title, `${title} of another`])
    expect(completions.complete('last', all)).toMatchObject([{ text: title.slice(0, 200), count: 2 }])
    expect(completions.complete('secret', { limit: 1, typoTolerance: 0 })).toEqual([])
  })

  it('is not cut within a letter of two units', () => {
    const [found] = completionsOf([`${'x '.repeat(99)}y😀`]).complete('y', all)
    expect(found?.text).toBe(`${'x '.repeat(99)}y`)
  })

  it('counts as far as it was typed up to 200 characters and 16 words', () => {
    const title = 'a b c d e f g h i j k l m n o p q'
    expect(textsOf([title], `${title} x`)).toEqual([title])
    expect(textsOf([title], 'a b c d e f g h i j k l m n o x')).toEqual([])
    expect(textsOf(['word'], `word${' '.repeat(200)}nothing`)).toEqual(['word'])
  })

  it.each([
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '\ud83d\udc00 \udc00',
    '\u0000a\u0000',
    'a'.repeat(5_000_000),
    'ab '.repeat(1_000_000),
    'e\u0301'.repeat(500_000),
  ])('does no harm %#', text => {
    const completions = completionsOf(['constructive', text])
    completions.add(text, 'proto')
    expect(completions.complete(text, all).every(({ text }) => text.length <= 200)).toBe(true)
    expect(completions.complete('constructiv', all)).toMatchObject([{ text: 'constructive' }])
    completions.remove(text)
    expect(completions.complete('proto', { limit: 9, typoTolerance: 0 }).map(found => found.text)).toEqual(
      text === '__proto__' ? ['__proto__'] : [],
    )
  })
})

describe('add and remove', () => {
  it('replace the title of a document', () => {
    const completions = completionsOf(['Lamp'])
    completions.add('d0', 'Sofa')
    expect([completions.complete('lam', all), completions.size]).toEqual([[], 1])
    completions.add('d0', undefined)
    expect([completions.complete('sof', all), completions.size]).toEqual([[], 0])
    completions.remove('d0')
    expect(completions.size).toBe(0)
  })

  it('know no title without a word', () => {
    expect(completionsOf(['', '  ', '?!', '§']).size).toBe(0)
  })

  it('of very many words that come and go take no more and more memory', () => {
    const completions = completionsOf(['Lamp'])
    const fill = (from: number) => {
      for (let i = from; i < from + 8_000; i++) completions.add(`x${i % 100}`, `Lamp model${i} code${i * 7}`)
    }
    fill(0)
    const { bytes } = completions
    for (let round = 1; round < 5; round++) fill(round * 8_000)
    expect(completions.bytes).toBeLessThan(bytes * 1.2)
    expect(completions.complete('lamp model39999', { limit: 5, typoTolerance: 0 })).toHaveLength(1)
    expect(completions.complete('lamp model1', { limit: 5, typoTolerance: 0 })).toEqual([])
    expect(completions.complete('lam', all)).toHaveLength(100)
  })

  it('let the memory of removed titles be used again', () => {
    const titles = Array.from({ length: 500 }, (_, i) => `Title ${i} of ${'many words '.repeat(i % 9)}`)
    const completions = completionsOf(titles)
    const full = completions.bytes
    for (let i = 0; i < 500; i++) completions.remove(`d${i}`)
    expect(completions.bytes).toBeLessThan(full)
    for (const [i, title] of titles.entries()) completions.add(`d${i}`, title)
    expect(completions.bytes).toBeLessThan(full * 1.5)
  })

  it('of titles that share a word, a few at a time, leave those that stay and nothing else', () => {
    const completions = completionsOf(Array.from({ length: 300 }, (_, i) => `Lamp ${i}`))
    for (let i = 0; i < 300; i++) {
      if (i % 3 > 0) completions.remove(`d${i}`)
      if (i % 5 === 0) completions.add(`d${i}`, `Sofa ${i}`)
    }
    const counted = completions.complete('lamp', { limit: 300, typoTolerance: 0 }).map(({ text }) => text)
    const staying = [...Array(300).keys()].filter(i => i % 3 === 0 && i % 5 > 0).map(i => `Lamp ${i}`)
    expect(counted.sort()).toEqual(staying.sort())
    expect(completions.complete('sofa', { limit: 300, typoTolerance: 0 })).toHaveLength(60)
  })

  const word = fc.constantFrom(
    ...[
      'red',
      'Redwood',
      'rde',
      'read',
      'sofa',
      'soda',
      'Söfa',
      'so',
      's',
      'lamp',
      'lamps',
      'lmap',
      '12',
      '1234',
    ],
  )
  const title = fc.array(word, { minLength: 1, maxLength: 4 }).map(words => words.join(' '))
  const typed = fc
    .array(
      fc.oneof(
        word,
        word.map(one => one.slice(0, 3)),
        fc.string({ unit: fc.constantFrom(...'reds'), maxLength: 4 }),
      ),
      {
        maxLength: 3,
      },
    )
    .map(words => words.join(' '))
  const change = fc.record({
    id: fc.constantFrom(...'abcdefghij'),
    title: fc.option(title, { nil: undefined }),
  })

  it('lead to what a look at every title finds, whatever the history', () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 40 }),
        fc.array(typed, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(1, 3, 20),
        fc.constantFrom(0, 1),
        (changes, texts, limit, typoTolerance) => {
          const completions = new Completions()
          const titles = new Map<string, string>()
          for (const { id, title } of changes) {
            if (title === undefined) completions.remove(id)
            else completions.add(id, title)
            if (title === undefined) titles.delete(id)
            else titles.set(id, title)
          }
          expect(completions.size).toBe(new Set(titles.values()).size)
          for (const text of texts) {
            const found = completions.complete(text, { limit, typoTolerance })
            expect(found.map(({ text, count, corrected }) => ({ text, count, corrected }))).toEqual(
              naiveCompletions([...titles.values()], text, { limit, typoTolerance }),
            )
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  const letters = fc.string({ unit: fc.constantFrom(...'abcé'), minLength: 1, maxLength: 7 })

  it('find every word of which a beginning is one edit from what was typed, and no other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(letters, { maxLength: 30 }), letters, (words, typed) => {
        const folded = fold(typed)
        const exact = words.filter(word => fold(word).startsWith(folded))
        const near = words.filter(word => beginsNear(fold(word), folded))
        expect(textsOf(words, typed).sort()).toEqual((exact.length > 0 ? exact : near).sort())
      }),
      { numRuns: 1000 },
    )
  })
})
