import { describe, expect, it } from 'vitest'
import { loadAnalyzer } from '../../../src/analysis/analyzer.ts'
import type { Language } from '../../../src/analysis/languages.ts'
import { MadeIndex } from './made-index.ts'

const cases: [language: Language, queries: string[], texts: string[]][] = [
  ['none', ['yıldız', 'YILDIZ', 'yildiz', 'YILD'], ['Yıldız lamba', 'YILDIZ TORNAVİDA']],
  ['turkish', ['kız', 'KIZ', 'kiz', 'KIZLAR'], ['Kız çocuk ayakkabısı', 'KIZ ÇANTASI']],
  ['none', ['کیف', 'كيف', 'کيف'], ['کیف چرمی', 'كيف جلدي']],
  ['arabic', ['حقيبة', 'حقيبه', 'الحقيبة'], ['حقيبة يد', 'حقيبه ظهر']],
  ['arabic', ['إضاءة', 'اضاءة', 'إضاءه'], ['إضاءة ليد', 'اضاءة حديقة']],
  ['none', ['٢٫٥', '۲٫۵', '2.5', '2,5'], ['خزان ٢٫٥', 'مخزن ۲٫۵', 'tank 2.5']],
  ['hindi', ['बाज़ार', 'बाजार'], ['बाज़ार भाव', 'बाजार दर']],
  ['hindi', ['चाँद', 'चांद'], ['चाँद तारा', 'चांद का टुकड़ा']],
  ['none', ['సాఫ్ట్\u200cవేర్', 'సాఫ్ట్వేర్'], ['సాఫ్ట్\u200cవేర్ ఇంజనీర్', 'సాఫ్ట్వేర్ పుస్తకం']],
]

describe('a word', () => {
  it.each(cases)(
    'is found in %s, on whatever keyboard it was typed: %j',
    async (language, queries, texts) => {
      const others = cases.flatMap(([, , others]) => (others === texts ? [] : others))
      const index = new MadeIndex([...texts, ...others], await loadAnalyzer(language))
      for (const query of queries)
        expect(index.found(query, { typoTolerance: 0, prefix: true }).sort(), query).toEqual(
          [...texts].sort(),
        )
    },
  )
})
