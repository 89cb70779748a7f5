import { describe, expect, it } from 'vitest'
import { AddedDocuments } from '../../../src/classification/model/added-documents.ts'
import { type Compression, compressionLevels } from '../../../src/classification/model/compression.ts'
import { Dictionaries } from '../../../src/classification/model/dictionaries.ts'
import { LinearModel } from '../../../src/classification/model/linear-model.ts'
import { ClassTrainer } from '../../../src/classification/model/linear-svm.ts'
import { countBayes, NaiveBayes } from '../../../src/classification/model/naive-bayes.ts'
import { type Problem, prepareTraining } from '../../../src/classification/model/problem.ts'
import { randomStream } from '../../../src/classification/model/random.ts'
import { saveModel } from '../../../src/classification/model/stored-model.ts'
import { completeModel, type Model } from '../../../src/classification/model/training.ts'
import { inverted } from '../../../src/classification/model/vectors.ts'
import { analyzer, catalogue, corpusOf, learn, none, run } from './learnt.ts'

const { examples, tags } = catalogue()
const some = examples.filter((_, i) => i % 12 === 0)
const bytesOf = (model: Model) => saveModel(model, analyzer).contents.blobs

const keywordsOf = (dictionaries: Dictionaries, tag: number, size: number) =>
  run(dictionaries.keywords(tag, size))

describe('training', () => {
  it('gives the same model for the same seed, and another for another', () => {
    const [once, again, other] = [1, 1, 2].map(seed => learn(some, tags.length, { seed, characters: false }))
    expect(bytesOf(again!)).toEqual(bytesOf(once!))
    expect(again!.calibration).toEqual(once!.calibration)
    expect(bytesOf(other!)).not.toEqual(bytesOf(once!))
  })

  it('gives the same model however the classes are shared out among threads', () => {
    const corpus = corpusOf(some, tags.length)
    const preparation = run(prepareTraining(corpus, { compression: none, seed: 1 }))
    // What a message to a thread does to it.
    const threads = Array.from({ length: 3 }, () => structuredClone(preparation.problem))
    const learnt = threads.flatMap((problem, thread) => {
      const trainer = new ClassTrainer(problem)
      const own = [...preparation.tags.keys()].filter(k => k % 3 === thread).reverse()
      return own.map(k => trainer.train(k))
    })
    const model = completeModel(corpus, preparation, learnt)
    const alone = learn(some, tags.length)
    expect(bytesOf(model)).toEqual(bytesOf(alone))
    expect(model.calibration).toEqual(alone.calibration)
  })

  it('keeps in few bits what a support vector machine says that is learnt at leisure', () => {
    const few = examples.filter(({ tags }, i) => i % 3 === 0 && tags.every(tag => tag < 12))
    const corpus = corpusOf(few, 12, { nGrams: [1], characters: false })
    const preparation = run(prepareTraining(corpus, { compression: none, seed: 1 }))
    const { problem, tags: classes } = preparation
    const trainer = new ClassTrainer(problem)
    const learnt = [...classes.keys()].map(k => trainer.train(k))
    const model = run(LinearModel.of(completeModel(corpus, preparation, learnt).linear))
    const exact = [...classes.keys()].map(k => atLeisure(problem, k))
    const { starts, ids, values } = problem.rows
    const first = (margins: number[]) => margins.indexOf(Math.max(...margins))
    let agreed = 0
    let differences = 0
    for (let row = 0; row + 1 < starts.length; row++) {
      const own = Uint32Array.from(ids.subarray(starts[row], starts[row + 1]))
      const amounts = Float64Array.from(values.subarray(starts[row], starts[row + 1]))
      const classes = Uint32Array.from(exact.keys())
      const kept = [...model.margins(own, amounts, own.length, classes)]
      const wanted = exact.map(({ weights, bias }) =>
        own.reduce((sum, id, i) => sum + weights[id]! * amounts[i]!, bias),
      )
      if (first(kept) === first(wanted)) agreed++
      differences += kept.reduce((sum, margin, k) => sum + Math.abs(margin - wanted[k]!), 0) / kept.length
    }
    const rows = starts.length - 1
    expect(agreed / rows).toBeGreaterThan(0.98)
    expect(differences / rows).toBeLessThan(0.1)
  })

  it('counts documents that are added as if they had been there', () => {
    const { problem } = run(prepareTraining(corpusOf(some, tags.length), { compression: none, seed: 1 }))
    const { rows, ofClass, features } = problem
    const all = rows.starts.length - 1
    const later = Uint8Array.from({ length: all }, (_, row) => (row % 3 === 0 ? 1 : 0))
    const early = run(countBayes(rows, ofClass, features, later))
    const whole = new NaiveBayes(run(countBayes(rows, ofClass, features, new Uint8Array(all))))
    const added = new AddedDocuments(early)
    const classesOf = inverted(ofClass, all)
    const textOf = (row: number) => {
      const [from, to] = [rows.starts[row]!, rows.starts[row + 1]!]
      return [rows.ids.slice(from, to), Float64Array.from(rows.values.slice(from, to)), to - from] as const
    }
    for (let row = 0; row < all; row++) {
      if (later[row] === 0) continue
      const own = classesOf.items.subarray(classesOf.starts[row], classesOf.starts[row + 1])
      added.add(...textOf(row), [...own])
    }
    const classes = ofClass.starts.length - 1
    const [expected, found] = [new Float64Array(classes), new Float64Array(classes)]
    const grown = new NaiveBayes({ ...early, totals: added.totals, documents: added.documents })
    for (let row = 0; row < all; row += 7) {
      const [ids, values, count] = textOf(row)
      whole.score(ids, values, 0, count, expected)
      grown.score(ids, values, 0, count, found)
      added.score(ids, values, count, 1, found)
      for (let k = 0; k < classes; k++) expect(found[k]).toBeCloseTo(expected[k]!, 3)
    }
  })
})

/** The same without shrinking, until nothing changes any more, of all rows that the class is learnt from. */
function atLeisure(problem: Problem, k: number): { weights: Float64Array; bias: number } {
  const { starts, ids, values } = problem.rows
  const own = new Set(
    problem.ofClass.items.subarray(problem.ofClass.starts[k], problem.ofClass.starts[k + 1]),
  )
  const rows = Array.from({ length: starts.length - 1 }, (_, row) => row)
  const weights = new Float64Array(problem.features)
  const alphas = new Float64Array(rows.length)
  const next = randomStream(99, k)
  let bias = 0
  for (let epoch = 0; epoch < 100; epoch++) {
    rows.sort(() => next() - 0.5)
    for (const row of rows) {
      const label = own.has(row) ? 1 : -1
      let margin = bias
      let square = 1
      for (let at = starts[row]!; at < starts[row + 1]!; at++) {
        margin += weights[ids[at]!]! * values[at]!
        square += values[at]! ** 2
      }
      const alpha = Math.max(0, alphas[row]! - (label * margin - 1 + 0.5 * alphas[row]!) / (square + 0.5))
      const step = (alpha - alphas[row]!) * label
      alphas[row] = alpha
      bias += step
      for (let at = starts[row]!; at < starts[row + 1]!; at++) weights[ids[at]!]! += step * values[at]!
    }
  }
  return { weights, bias }
}

describe('compression', () => {
  const titles = some.map(({ texts, tags }) => ({ texts: texts.slice(0, 1), tags }))
  const read = titles.map(({ texts, tags }) => ({ words: analyzer.tokens(texts[0]!), tags }))
  const all = [...new Set(read.flatMap(({ words }) => words))]

  /** Words that are kept, counted by reading everything for each of them. */
  function keptWords({ inTag, inDataset, operator }: Compression): string[] {
    if (inTag === 0 || inDataset === 0) return all
    return all.filter(word => {
      const inTags = new Map<number, number>()
      let times = 0
      for (const { words, tags } of read) {
        const here = words.filter(other => other === word).length
        times += here
        for (const tag of tags) inTags.set(tag, (inTags.get(tag) ?? 0) + here)
      }
      const [a, b] = [Math.max(...inTags.values()) <= inTag, times <= inDataset]
      return !(operator === 'AND' ? a && b : a || b)
    })
  }

  const cases: [string, Compression][] = [
    ...compressionLevels.map((level, i): [string, Compression] => [`level ${i}`, level]),
    ['either limit', { inTag: 2, inDataset: 6, operator: 'OR' }],
    ['both limits', { inTag: 2, inDataset: 6, operator: 'AND' }],
    ['one limit alone', { inTag: 3, inDataset: 0, operator: 'OR' }],
  ]
  it.each(cases)('keeps the words that %s lets through', (_, compression) => {
    const { features } = learn(titles, tags.length, { compression, characters: false })
    const kept = Array.from(features.wordEnds, (end, word) =>
      String.fromCharCode(...features.wordUnits.subarray(word === 0 ? 0 : features.wordEnds[word - 1], end)),
    )
    expect(kept.sort()).toEqual(keptWords(compression).toSorted())
  })

  it('makes a model smaller, the more it leaves out', () => {
    const sizes = compressionLevels.map(compression => {
      const blobs = bytesOf(learn(titles, tags.length, { compression, characters: false }))
      return blobs.reduce((sum, { bytes }) => sum + bytes, 0)
    })
    expect(sizes[1]).toBeLessThan(sizes[0]!)
    expect(sizes[2]).toBeLessThan(sizes[1]!)
  })
})

describe('dictionaries', () => {
  const model = learn(some, tags.length, { nGrams: [1, 2, 3], characters: false })
  const dictionaries = run(Dictionaries.of(model))
  const neighbours = (text: string, size: number) => {
    const words = analyzer.tokens(text)
    return words.flatMap((_, i) => (i + size <= words.length ? [words.slice(i, i + size).join(' ')] : []))
  }

  it('name for each tag words that its documents have, strongest first', () => {
    let named = 0
    for (const size of [1, 2, 3]) {
      for (const tag of tags.keys()) {
        const own = some.filter(({ tags }) => tags.includes(tag))
        const present = new Set(own.flatMap(({ texts }) => texts.flatMap(text => neighbours(text, size))))
        const keywords = keywordsOf(dictionaries, tag, size)
        for (const { text, score } of keywords) {
          expect(present).toContain(text)
          expect(score).toBeGreaterThan(0)
        }
        const scores = keywords.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        named += keywords.length
      }
    }
    expect(named).toBeGreaterThan(500)
  })

  it('are empty for tags without documents and sizes that were not learnt', () => {
    expect(keywordsOf(dictionaries, tags.length, 1)).toEqual([])
    expect(keywordsOf(dictionaries, 0, 4)).toEqual([])
  })
})
