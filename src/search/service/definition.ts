import { atOnce } from '../../scheduling/at-once.ts'
import { defineService } from '../../services/service-definition.ts'
import type { ActiveSearch } from './answering.ts'
import { checkingSettings, refuseExplanation, refuseTooMuch } from './checking.ts'
import { type Activation, activateSettings, fieldsFor, type GivenSettings, recommended } from './settings.ts'

/** Searches a dataset by settings that are kept. Its model is those that are recommended; the index is the dataset's. */
export const search = defineService({
  type: 'search',
  prepareSettings: {},
  activateSettings,
  async *prepare() {
    yield { done: 0, total: 1, phase: 'finding settings' }
    return { settings: {}, recommended: recommended(), contents: null }
  },
  shown({ settings, dataset }) {
    const { search, ...others } = settings as Activation // as below
    return { ...others, search: { ...search, ...fieldsFor(search, dataset().state) } }
  },
  check({ settings, given, ...surroundings }) {
    const activation = settings as Activation // what is recommended, with what was given laid over it
    const { classifier } = given as GivenSettings // as its schema has read them
    // One that was given before may be gone: searches then go on without tags, as they do where it goes later.
    atOnce(checkingSettings(classifier ? activation : { ...activation, classifier: null }, surroundings))
    refuseTooMuch(activation.search)
    refuseExplanation(activation.search, surroundings.dataset().state)
  },
  async *load({ settings, dataset, recommender }) {
    // So that the first search does not wait for the index.
    yield { done: 0, total: 1, phase: 'loading the index' }
    await dataset().index.settle()
    return { activation: settings, dataset, recommender } as ActiveSearch
  },
})
