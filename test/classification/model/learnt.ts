import { readFileSync } from 'node:fs'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { Classifier, type ModelOptions } from '../../../src/classification/model/classifier.ts'
import { type Compression, compressionLevels } from '../../../src/classification/model/compression.ts'
import { Corpus, type Example } from '../../../src/classification/model/corpus.ts'
import { type Model, train } from '../../../src/classification/model/training.ts'

export const analyzer = analyzerFor('english')

/** Does work that comes in pieces. */
export function run<T>(pieces: Generator<void, T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

export interface Learning {
  readonly nGrams?: readonly number[]
  readonly characters?: boolean
  readonly compression?: Compression
  readonly seed?: number
}

export const none = compressionLevels[0]!

export function corpusOf(
  examples: Iterable<Example>,
  tagCount: number,
  { nGrams = [1, 2], characters = true }: Learning = {},
): Corpus {
  const corpus = new Corpus({ analyzer, nGrams, characters }, tagCount)
  for (const example of examples) corpus.add(example)
  return corpus
}

export function learn(examples: Iterable<Example>, tagCount: number, learning: Learning = {}): Model {
  const corpus = corpusOf(examples, tagCount, learning)
  return run(train(corpus, { compression: learning.compression ?? none, seed: learning.seed ?? 1 }))
}

export const loaded = (model: Model, options: ModelOptions = {}): Classifier =>
  run(Classifier.load(model, analyzer, options))

const fixture = (file: string) =>
  readFileSync(new URL(`../../fixtures/catalogue/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)

interface CatalogueProduct {
  readonly title: string
  readonly description: string
  readonly tag: readonly string[]
}

/** The sample catalogue, its leaf tags by number. */
export function catalogue(): { examples: Example[]; tags: string[] } {
  const products = fixture('products.jsonl').map((line): CatalogueProduct => JSON.parse(line))
  const tags = [...new Set(products.flatMap(({ tag }) => tag))].sort()
  const examples = products.map(({ title, description, tag }) => ({
    texts: [title, description],
    tags: tag.map(id => tags.indexOf(id)),
  }))
  return { examples, tags }
}
