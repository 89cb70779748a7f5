import { describe, expect, it } from 'vitest'
import { evaluate, suspects } from '../../../src/classification/model/cross-validation.ts'
import { QualityCount } from '../../../src/classification/model/quality.ts'
import { randomStream } from '../../../src/classification/model/random.ts'
import { catalogue, corpusOf, none, run } from './learnt.ts'

const { examples, tags } = catalogue()
const options = { compression: none, seed: 1 }

describe('suspects', () => {
  it('finds documents whose tags were swapped: of the first fifty at least four fifths', () => {
    const next = randomStream(7)
    const swapped = new Set<number>()
    const planted = [...examples]
    while (swapped.size < Math.round(examples.length / 50)) {
      const document = Math.floor(next() * planted.length)
      const tag = Math.floor(next() * tags.length)
      if (swapped.has(document) || planted[document]!.tags.includes(tag)) continue
      planted[document] = { ...planted[document]!, tags: [tag] }
      swapped.add(document)
    }
    const corpus = corpusOf(planted, tags.length, { nGrams: [1], characters: false })
    const found = run(suspects(corpus, options))
    const right = found.slice(0, 50).filter(({ document }) => swapped.has(document))
    expect(right.length).toBeGreaterThanOrEqual(40)
    const restored = right.filter(({ document, likelier }) => examples[document]!.tags.includes(likelier))
    expect(restored.length).toBeGreaterThan(0.9 * right.length)
    for (const { document, tag, likelier, score, likelierScore } of found) {
      expect(planted[document]!.tags).toContain(tag)
      expect(planted[document]!.tags).not.toContain(likelier)
      expect(likelierScore).toBeGreaterThan(score)
    }
  })

  it('finds none where there is nothing to compare with', () => {
    expect(run(suspects(corpusOf([], 2), options))).toEqual([])
    const alike = Array.from({ length: 6 }, () => ({ texts: ['apple'], tags: [0] }))
    expect(run(suspects(corpusOf(alike, 2), options))).toEqual([])
  })
})

describe('evaluate', () => {
  it('learns more from more documents', () => {
    const corpus = corpusOf(examples, tags.length, { nGrams: [1], characters: false })
    const found = run(evaluate(corpus, options))
    expect(found.documents).toBe(Math.round(examples.length / 5))
    expect(found.accuracy).toBeGreaterThan(0.95)
    expect(found.calibrationError).toBeLessThan(0.05)
    expect(found.learningCurve.map(({ documents }) => documents)).toEqual([192, 480, 960, 1920])
    expect(found.learningCurve[0]!.accuracy).toBeLessThan(found.learningCurve[2]!.accuracy)
    expect(found.learningCurve.at(-1)!.accuracy).toBe(found.accuracy)
  })

  it('says nothing of no documents', () => {
    expect(run(evaluate(corpusOf([], 0), options))).toMatchObject({ documents: 0, accuracy: 0, macroF1: 0 })
  })
})

describe('quality', () => {
  it('is as worked out by hand', () => {
    const count = new QualityCount()
    const answer = (...tags: number[]) => tags.map((tag, i) => ({ tag, score: i === 0 ? 0.9 : 0.05 }))
    count.add(answer(0, 1), [0])
    count.add(answer(0, 1), [1])
    count.add(answer(1, 0, 2), [2])
    count.add(answer(2), [2, 1])
    count.add([], [0])
    const { quality } = count
    expect(quality).toMatchObject({ documents: 5, accuracy: 2 / 5, top3: 4 / 5 })
    // F1 of 0: one hit, one wrong, one missed; of 1: no hit; of 2: one hit, one missed.
    expect(quality.macroF1).toBeCloseTo((1 / 2 + 0 + 2 / 3) / 3, 12)
    expect(quality.reliability.filter(({ answers }) => answers > 0)).toEqual([
      { from: 13 / 15, answers: 4, meanScore: 0.9, accuracy: 0.5 },
    ])
    expect(quality.calibrationError).toBeCloseTo((4 / 5) * 0.4, 12)
    expect(quality.confusions).toEqual([
      { right: 1, answered: 0, documents: 1 },
      { right: 2, answered: 1, documents: 1 },
    ])
  })
})
