import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { Classifier } from '../../src/classification/model/classifier.ts'
import { compressionLevels } from '../../src/classification/model/compression.ts'
import { Corpus } from '../../src/classification/model/corpus.ts'
import { saveModel } from '../../src/classification/model/stored-model.ts'
import { needsCharacters, train } from '../../src/classification/model/training.ts'
import type { Labelled } from '../labelled.ts'
import type { Learnt, TextClassifier } from './text-classifier.ts'

/** With what `compressLevel` leaves out. */
const findling = (level: 0 | 1 | 2): TextClassifier => ({
  name: level === 0 ? 'findling' : `findling, level ${level}`,
  settings:
    level === 0
      ? 'words, pairs of words, parts of words up to 50,000 documents; one thread'
      : `the same without what compress level ${level} leaves out`,
  learn: (documents, tags) => learn(documents, tags, level, needsCharacters(documents.length)),
})

export const ours = [findling(0), findling(1), findling(2)]

/** As for collections of more than 50,000 documents, whatever their size. */
export const wordsAlone: TextClassifier = {
  name: 'findling, words alone',
  settings: 'words and pairs of words, as for more than 50,000 documents; one thread',
  learn: (documents, tags) => learn(documents, tags, 0, false),
}

function learn(
  documents: readonly Labelled[],
  tags: readonly string[],
  level: 0 | 1 | 2,
  characters: boolean,
): Learnt {
  const analyzer = analyzerFor('english')
  const corpus = new Corpus({ analyzer, nGrams: [1, 2], characters }, tags.length)
  const numbers = new Map(tags.map((tag, i) => [tag, i]))
  for (const { texts, tag } of documents) corpus.add({ texts, tags: [numbers.get(tag)!] })
  const model = run(train(corpus, { compression: compressionLevels[level]!, seed: 1 }))
  const classifier = run(Classifier.load(model, analyzer))
  return {
    answer: text => classifier.recommend(text).map(({ tag, score }) => ({ tag: tags[tag]!, score })),
    bytes: () => saveModel(model, analyzer).contents.blobs.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

function run<T>(pieces: Generator<void, T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}
