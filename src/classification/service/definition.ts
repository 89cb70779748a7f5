import { isDeepStrictEqual } from 'node:util'
import { tagsToLearn } from '../../services/prepared-tags.ts'
import { defineService } from '../../services/service-definition.ts'
import { analyzerOf, loadClassifier, readStoredClassifier } from '../dataset/stored-classifier.ts'
import { modelBlobs } from '../model/stored-model.ts'
import { compressionOf, usualNGrams } from '../options.ts'
import { ActiveClassifier } from './answering.ts'
import { checkActivation, checkPreparation } from './checking.ts'
import { exportedSettings, givenSettings, type Prepared, prepareSettings, recommended } from './settings.ts'
import { copyOfTags, readTagCopy } from './tag-copy.ts'

/** The part of a model that has the tags. */
const TAGS = 'tag-tree'

/** Learns from the documents of a dataset which tags texts belong to. Its model is a classifier, and a copy of the tags. */
export const classifier = defineService({
  type: 'classifier',
  prepareSettings,
  activateSettings: givenSettings,
  exportedSettings,
  areOf: (contents, { tags }: Prepared) => isDeepStrictEqual(readStoredClassifier(contents).tags, tags),
  neededParts: contents => [...modelBlobs(readStoredClassifier(contents).model), TAGS],
  checkPreparation: ({ dataset, settings }) => checkPreparation(settings.nGrams, dataset),
  async *prepare({ dataset, settings: { parallel, ...settings }, signal, keep }) {
    const { nGramCount } = dataset.state.settings
    const { compression, nGrams = usualNGrams.filter(size => size <= nGramCount) } = settings
    const tree = await dataset.tags.tree.current()
    const tags = await tagsToLearn(settings.tags, tree)
    const asked = { tags, nGrams, compression: compressionOf(compression), fields: null }
    const { contents, blobs } = yield* dataset.classifiers.learn(asked, { parallel, signal })
    let done = 0
    for (const [name, bytes] of blobs) {
      await keep(name, bytes)
      yield { done: ++done, total: blobs.size, phase: 'storing' }
    }
    await keep(TAGS, await copyOfTags(tree))
    const prepared: Prepared = { tags: contents.tags, nGrams, compression }
    return { settings: prepared, recommended, contents }
  },
  check: ({ settings, prepared }) => checkActivation(settings, prepared),
  async *load({ parts, contents: stored, settings: activation, dataset }) {
    const contents = readStoredClassifier(stored)
    const names = [...modelBlobs(contents.model), TAGS]
    yield { done: 0, total: names.length, phase: 'reading' }
    const read = await parts(names)
    yield { done: names.length, total: names.length, phase: 'loading' }
    const { nGrams } = activation
    const analyzer = await analyzerOf(contents, dataset().state.analyzers)
    const options = nGrams ? { nGrams } : {}
    const loaded = await loadClassifier(contents, analyzer, name => read.get(name), options)
    const tree = readTagCopy(read.get(TAGS)!)
    const readsMarkup = () => dataset().state.settings.markup
    return new ActiveClassifier({ loaded, tree, analyzer, activation, readsMarkup })
  },
  bytes: ({ bytes }) => bytes,
  recommend: (active, text, count, deadline) => active.recommend(text, { count, emphasize: true }, deadline),
})
