import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { fold } from '../../../src/analysis/fold.ts'
import { SpeltWords } from '../../../src/fulltext/dictionary/spelt-words.ts'

const analyzer = analyzerFor('none')

describe('how documents write words', () => {
  const word = fc.constantFrom('grün', 'grun', 'GRÜN', 'Straße', 'strasse', 'Café', 'x1é', 'lamp')
  const text = fc.array(word, { maxLength: 4 }).map(words => words.join(' '))
  const documents = fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 12 })

  it('is how most of those write them that are read until enough have', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 6 }), (documents, enough) => {
        const wanted = ['grun', 'strasse', 'cafe', 'x1e', 'lamp', 'nowhere']
        const spelt = new SpeltWords(wanted, analyzer, enough)
        for (const texts of documents) spelt.add(texts)
        let isKnown = true
        for (const one of wanted) {
          if (/\d/.test(one)) {
            expect(spelt.formOf(one)).toBeUndefined()
            continue
          }
          // Of each document the first word that is the same once folded.
          const forms = documents
            .flatMap(texts => texts.flatMap(text => text.split(' ')).find(word => fold(word) === one) ?? [])
            .map(form => form.toLowerCase())
            .slice(0, enough)
          isKnown &&= forms.length === enough
          const count = (form: string) => forms.filter(other => other === form).length
          const most = Math.max(0, ...forms.map(count))
          expect(spelt.formOf(one)).toBe(forms.find(form => count(form) === most))
        }
        expect(spelt.isKnown).toBe(isKnown)
      }),
    )
  })

  it('is told word by word, and leaves as they are what no document has, numbers and long texts', () => {
    const spelt = new SpeltWords(['grun', 'strasse', 'x1e', 'wien'], analyzer)
    spelt.add(['Die grüne, nein: grün', `Wién ${'x '.repeat(analyzer.longText)}`, 'x1é', '\ud800 Straße'])
    expect(spelt.written('grun strasse')).toBe('grün straße')
    expect(spelt.written('x1e wien')).toBe('x1e wien')
    expect(spelt.written('__proto__')).toBe('__proto__')
    expect(spelt.written('')).toBe('')
  })
})
