import { describe, expect, it } from 'vitest'
import { loadAnalyzer } from '../../../src/analysis/analyzer.ts'
import { functionWordsOf } from '../../../src/analysis/function-words.ts'
import { languages } from '../../../src/analysis/languages.ts'
import { withoutAsking } from '../../../src/fulltext/words/asking.ts'
import { readQuery } from '../../../src/fulltext/words/query-text.ts'
import { MadeIndex } from './made-index.ts'

const english = await loadAnalyzer('english')
const german = await loadAnalyzer('german')
const others = [
  ['french', 'je cherche une chaise', 'chaise'],
  ['spanish', 'busco una silla', 'silla'],
  ['italian', 'vorrei una sedia', 'sedia'],
  ['portuguese', 'procuro uma cadeira', 'cadeira'],
  ['dutch', 'ik zoek een stoel', 'stoel'],
  ['danish', 'jeg søger en stol', 'stol'],
  ['norwegian', 'jeg trenger en stol', 'stol'],
  ['swedish', 'jag behöver en stol', 'stol'],
  ['russian', 'мне нужен стул', 'стул'],
] as const

const left = (query: string, analyzer = english, isBeginning = false) =>
  withoutAsking(readQuery(query, analyzer), analyzer.functionWords!, isBeginning).text.words.join(' ')

describe('words of asking', () => {
  it.each([
    ['i am looking for a cordless drill', 'cordless drill'],
    ['what laptop should i buy for school', 'laptop school'],
    ['best running shoes for flat feet', 'running shoes for flat feet'],
    ['something to clean windows', 'clean windows'],
    ['can you recommend a good book about dogs', 'book about dogs'],
    ["i'd like something for my garden", 'garden'],
    ['do you sell dishwashers that are 45 cm wide', 'dishwashers that are 45 cm wide'],
  ])('do not count in %j', (query, words) => {
    expect(left(query)).toBe(words)
  })

  it.each([
    ['ich suche einen Stuhl für den Garten', 'stuhl fur den garten'],
    ['welchen Akkuschrauber soll ich kaufen', 'akkuschrauber'],
    ['etwas zum Sitzen für den Balkon', 'sitzen fur den balkon'],
    ['beste Pfanne für Induktion', 'pfanne fur induktion'],
  ])('nor in %j', (query, words) => {
    expect(left(query, german)).toBe(words)
  })

  it.each(others)('are known in %s', async (language, query, words) => {
    expect(left(query, await loadAnalyzer(language))).toBe(words)
  })

  it.each([
    'need for speed',
    'i need you',
    'the best of me',
    'best western pillow',
    'something without sugar',
    'looking glass',
    'what we do in the shadows',
    'how to train your dragon',
    '"i am looking for a" drill',
  ])('are words like others in %j', query => {
    expect(left(query)).toBe(readQuery(query, english).words.join(' '))
  })

  it('may be the beginning of another while they are typed', () => {
    expect(left('drill i need a', english, true)).toBe('drill a')
  })

  it('find nothing, need not be there, and are told as left out', () => {
    const index = new MadeIndex(['cordless drill', 'looking glass', 'a book for looking at'])
    expect(index.found('i am looking for a drill')).toEqual(['cordless drill'])
    expect(index.found('i am looking for a drill', { operator: 'and' })).toEqual(['cordless drill'])
    expect(index.words('i am looking for a drill').map(({ word, kind }) => [word, kind])).toEqual([
      ['i', 'stop'],
      ['am', 'stop'],
      ['looking', 'stop'],
      ['for', 'stop'],
      ['a', 'stop'],
      ['drill', 'exact'],
    ])
  })

  it('are known, as texts have them, wherever function words are', async () => {
    for (const language of languages) {
      const asking = functionWordsOf(language)?.asking
      if (!functionWordsOf(language)) continue
      const { tokens } = await loadAnalyzer(language)
      for (const list of Object.values(asking!)) for (const word of list) expect(tokens(word)).toEqual([word])
    }
  })
})
