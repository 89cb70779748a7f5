import { describe, expect, it } from 'vitest'
import { loadAnalyzer } from '../../src/analysis/analyzer.ts'
import { functionWordsOf } from '../../src/analysis/function-words.ts'
import { languages } from '../../src/analysis/languages.ts'

const known = languages.filter(language => functionWordsOf(language) !== undefined)

describe('function words', () => {
  it.each(known)('of %s are single tokens as texts have them', async language => {
    const { tokens, functionWords } = await loadAnalyzer(language)
    const { all, asides, negations, lacks } = functionWords!
    expect(all.size).toBeGreaterThan(30)
    for (const word of [...all, ...asides, ...negations, ...lacks.before, ...lacks.behind])
      expect(tokens(word)).toEqual([word])
  })

  it('are found in the spelling of the language', async () => {
    const german = await loadAnalyzer('german')
    const [word] = german.tokens('Für')
    expect(german.functionWords!.asides).toContain(word)
  })

  it('of other languages are not known', () => {
    expect(functionWordsOf('none')).toBeUndefined()
    expect(functionWordsOf('finnish')).toBeUndefined()
  })
})
