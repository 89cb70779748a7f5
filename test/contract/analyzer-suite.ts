import { Engine, type OwnAnalyzer } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Analyzer, loadAnalyzer } from '../../src/analysis/analyzer.ts'
import type { Language } from '../../src/analysis/languages.ts'
import { afterBlock } from '../engine/engines.ts'

export interface AnalyzerCase {
  readonly language: Language
  readonly own?: OwnAnalyzer
  /** Texts of its language, each with words. */
  readonly texts: readonly string[]
}

/** Texts that no analyzer may trip over. */
const hostile = [
  '',
  ' \n\t',
  '\0',
  '\ud83d',
  '\udc00\ud83d lamp \ud83d',
  '__proto__ constructor',
  'a'.repeat(70_000),
  '\u0301'.repeat(5000),
  '👩‍👩‍👧‍👦 🇩🇪 ½ ﬁ ß İ ſ',
  'x\u200by\u00adz',
  '-'.repeat(10_000),
]

interface Found {
  readonly term: string
  readonly start: number
  readonly end: number
}

function rangesIn(analyzer: Analyzer, text: string): Found[] {
  const found: Found[] = []
  analyzer.scanRanges(text, (chars, length, start, end) =>
    found.push({ term: String.fromCharCode(...chars.subarray(0, length)), start, end }),
  )
  return found
}

function termsByScan(analyzer: Analyzer, text: string): string[] {
  const terms: string[] = []
  analyzer.scan(text, (chars, length) => terms.push(String.fromCharCode(...chars.subarray(0, length))))
  return terms
}

function termsInPieces(analyzer: Analyzer, text: string): string[] {
  const terms: string[] = []
  const scan = analyzer.scanInPieces(text, (chars, length) =>
    terms.push(String.fromCharCode(...chars.subarray(0, length))),
  )
  // Others are scanned in between.
  for (const _ of scan) analyzer.tokens('something else 别的')
  return terms
}

/** What every analyzer promises. */
export function describeAnalyzer(name: string, { language, own, texts }: AnalyzerCase): void {
  describe(name, () => {
    const afterwards = afterBlock()
    const long = Array.from({ length: 3000 }, (_, i) => texts[i % texts.length]).join('\n')
    let analyzer: Analyzer

    beforeAll(async () => {
      analyzer = await loadAnalyzer(language, own)
    })

    it('finds the same words of a text in every way, again and in another copy of itself', async () => {
      const other = await loadAnalyzer(language, own)
      for (const text of [...texts, ...hostile, long]) {
        const terms = analyzer.tokens(text)
        expect(termsByScan(analyzer, text)).toEqual(terms)
        expect(rangesIn(analyzer, text).map(({ term }) => term)).toEqual(terms)
        expect(other.tokens(text)).toEqual(terms)
      }
      for (const text of [...texts, long])
        expect(termsInPieces(analyzer, text)).toEqual(analyzer.tokens(text))
      expect(texts.every(text => analyzer.tokens(text).length > 0)).toBe(true)
    })

    it('finds words in their order, each at its place in the text', () => {
      for (const text of [...texts, ...hostile, long]) {
        let before = 0
        for (const { start, end } of rangesIn(analyzer, text)) {
          expect(start).toBeGreaterThanOrEqual(before)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
          before = start
        }
      }
    })

    it('gives terms of 1 to 64 units without spaces, control characters and halves of pairs', () => {
      const terms = [...texts, ...hostile].flatMap(text => analyzer.tokens(text))
      for (const term of [...terms, ...terms.map(analyzer.stem)]) {
        expect(term.length).toBeGreaterThan(0)
        expect(term.length).toBeLessThanOrEqual(64)
        expect(term).not.toMatch(/[\s\p{Cc}\p{Surrogate}]/u)
      }
    })

    it('gives a word of a text again where it stands by itself', () => {
      const words = new Set(texts.flatMap(text => analyzer.tokens(text)))
      for (const word of words) expect(analyzer.tokens(word)).toEqual([word])
    })

    it('gives one stem for a term', () => {
      const words = texts.flatMap(text => analyzer.tokens(text))
      const stems = words.map(analyzer.stem)
      expect([...words].reverse().map(analyzer.stem).reverse()).toEqual(stems)
    })

    it('works alike in the threads that index and in the one that searches', async () => {
      const engine = await Engine.open(own ? { analyzers: [own] } : {})
      afterwards(() => engine.close())
      const settings = {
        language,
        interpretedFields: ['title'],
        topics: false,
        ...(own && { analyzer: own.name }),
      }
      const items = await engine.datasets.create('items', settings)
      await items.documents.bulk([...texts, ...hostile, long].map((title, id) => ({ id: String(id), title })))
      const words = [...new Set(texts.flatMap(text => analyzer.tokens(text)))]
      const answers = () =>
        Promise.all(
          words.map(async word => {
            const { hits, total, words } = await items.search(word, {
              highlight: true,
              limit: 100,
              total: 'exact',
            })
            return { total, words, hits: hits.map(({ id, highlights }) => ({ id, highlights })) }
          }),
        )
      const here = await answers()
      await items.optimize()
      const inThreads = await answers()
      expect(inThreads.map(({ hits }) => hits.map(({ id }) => id).sort())).toEqual(
        here.map(({ hits }) => hits.map(({ id }) => id).sort()),
      )
      expect(inThreads.map(({ words }) => words.map(({ word, kind }) => [word, kind]))).toEqual(
        here.map(({ words }) => words.map(({ word, kind }) => [word, kind])),
      )
      for (const [i, { hits }] of inThreads.entries()) {
        const own = texts.findIndex(text => analyzer.tokens(text).includes(words[i]!))
        const hit = hits.find(({ id }) => id === String(own))
        expect(hit?.highlights?.title, `${words[i]} is marked in ${texts[own]}`).toBeDefined()
      }
      for (const text of texts)
        expect(await items.count(`title:"${analyzer.tokens(text)[0]}"`), text).toBeGreaterThan(0)
      expect(await engine.doctor()).toMatchObject({ ok: true, faults: [] })
    })
  })
}
