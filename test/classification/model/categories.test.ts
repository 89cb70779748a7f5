import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadAnalyzer } from '../../../src/analysis/analyzer.ts'
import { Corpus } from '../../../src/classification/model/corpus.ts'
import {
  fitLikelihoods,
  fitted,
  fittedAnswers,
  type JudgedAnswer,
  UNFITTED,
} from '../../../src/classification/model/likelihoods.ts'
import { randomStream } from '../../../src/classification/model/random.ts'
import { rollUp } from '../../../src/classification/model/rolled-up-tags.ts'

const analyzer = await loadAnalyzer('english', undefined)

describe('tags that are rolled up', () => {
  it('are the deepest above those of a document that have enough documents, as a plain count says', () => {
    const number = fc.nat({ max: 9 })
    const documents = fc.array(fc.uniqueArray(number, { maxLength: 3 }), { maxLength: 40 })
    const above = fc.array(fc.nat({ max: 99 }), { minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(documents, above, fc.integer({ min: 1, max: 6 }), (documents, above, least) => {
        // Each tag lies below one of a lower number, or is a root.
        const parents = new Map(
          above.flatMap((one, tag): [string, string][] =>
            tag > 0 && one % (tag + 1) < tag ? [[`t${tag}`, `t${one % (tag + 1)}`]] : [],
          ),
        )
        const path = (tag: string): string[] => {
          const parent = parents.get(tag)
          return parent === undefined ? [tag] : [tag, ...path(parent)]
        }
        const ids: string[] = []
        const corpus = new Corpus({ analyzer, nGrams: [1], characters: false }, 10)
        for (const tags of documents) {
          for (const tag of tags) if (!ids.includes(`t${tag}`)) ids.push(`t${tag}`)
          corpus.add({ texts: ['word'], tags: tags.map(tag => ids.indexOf(`t${tag}`)) })
        }
        const having = (tag: string) =>
          documents.filter(tags => tags.some(one => path(`t${one}`).includes(tag))).length
        const classOf = (tag: string) => path(tag).find(one => having(one) >= least)

        const found = rollUp(corpus, ids, parents, least)
        for (const [at, tags] of documents.entries()) {
          const own = [...corpus.tags.subarray(corpus.tagStarts[at], corpus.tagStarts[at + 1])]
          const wanted = new Set(tags.flatMap(tag => classOf(`t${tag}`) ?? []))
          expect(new Set(own.map(one => found.classes[one]!))).toEqual(wanted)
          expect(own).toHaveLength(wanted.size)
        }
        for (const id of ids) expect(found.classes[found.classOf.get(id) ?? -1]).toBe(classOf(id))
        for (const [at, id] of found.classes.entries()) {
          const own = documents.filter(tags => tags.some(tag => classOf(`t${tag}`) === id)).length
          expect(found.documents[at]).toBe(own)
        }
      }),
    )
  })
})

it('tags that were moved below each other while they were listed end the way upwards', () => {
  const corpus = new Corpus({ analyzer, nGrams: [1], characters: false }, 10)
  for (let i = 0; i < 3; i++) corpus.add({ texts: ['word'], tags: [0] })
  const parents = new Map([
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'b'],
  ])
  expect(rollUp(corpus, ['a'], parents, 3).classes).toEqual(['a'])
  expect(rollUp(corpus, ['a'], parents, 4).classes).toEqual([])
})

describe('likelihoods', () => {
  it('hold after the fit, however sure of themselves scores are', () => {
    for (const sureness of [0.4, 1, 4]) {
      const random = randomStream(7)
      const answers = Array.from({ length: 4000 }, (): JudgedAnswer => {
        const truth = 0.05 + 0.9 * random()
        const logit = sureness * Math.log(truth / (1 - truth))
        return { score: 1 / (1 + Math.exp(-logit)), isRight: random() < truth }
      })
      const fit = fitLikelihoods(answers)
      for (let from = 0.1; from < 0.9; from += 0.1) {
        const own = answers.filter(({ score }) => {
          const probability = fitted(fit, score)
          return probability >= from && probability < from + 0.1
        })
        const right = own.filter(({ isRight }) => isRight).length / own.length
        expect(Math.abs(right - from - 0.05)).toBeLessThan(0.09)
      }
    }
  })

  it('stay in order, and of all answers together at most 1, and few change nothing', () => {
    const few = [{ score: 0.9, isRight: false }]
    expect(fitLikelihoods(few)).toEqual(UNFITTED)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()), { maxLength: 200 }),
        fc.array(fc.double({ min: 1e-9, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }),
        (judged, weights) => {
          const fit = fitLikelihoods(judged.map(([score, isRight]) => ({ score, isRight })))
          expect(fit.scale).toBeGreaterThan(0)
          const sum = weights.reduce((all, weight) => all + weight, 0)
          const scores = weights.map(weight => weight / sum).sort((a, b) => b - a)
          const probabilities = fittedAnswers(fit, scores)
          expect(probabilities).toEqual([...probabilities].sort((a, b) => b - a))
          expect(probabilities.reduce((all, one) => all + one, 0)).toBeLessThan(1 + 1e-6)
          for (const one of probabilities) expect(one).toBeGreaterThanOrEqual(0)
        },
      ),
    )
  })
})
