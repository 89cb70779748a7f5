import BayesClassifier from 'natural/lib/natural/classifiers/bayes_classifier.js'
import type { TextClassifier } from './text-classifier.ts'

/** It looks at all words for each tag and text. */
export const natural: TextClassifier = {
  name: 'natural, BayesClassifier',
  settings:
    'defaults: Porter stems, single words; it multiplies probabilities, which of long texts are 0 for every tag',
  mostWork: 1_000_000,
  learn(documents, tags) {
    const classifier = new BayesClassifier()
    for (const { texts, tag } of documents) classifier.addDocument(texts.join(' '), tag)
    classifier.train()
    return {
      answer(text) {
        const found = classifier.getClassifications(text)
        const sum = found.reduce((sum, { value }) => sum + value, 0)
        const known = found.filter(({ label }) => tags.includes(label)).slice(0, 3)
        return known.map(({ label, value }) => ({ tag: label, score: sum > 0 ? value / sum : 0 }))
      },
      bytes: () => Buffer.byteLength(JSON.stringify(classifier)),
    }
  },
}
