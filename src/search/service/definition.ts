import { atOnce } from '../../scheduling/at-once.ts'
import { defineService } from '../../services/service-definition.ts'
import type { ActiveSearch } from './answering.ts'
import { checkingSettings, refuseExplanation, refuseTooMuch } from './checking.ts'
import {
  type Activation,
  activateSettings,
  exportedSettings,
  fieldsFor,
  type GivenSettings,
  recommended,
} from './settings.ts'

/** Searches a dataset by stored settings. Its model is the recommended settings; the index is the dataset's. */
export const search = defineService({
  type: 'search',
  prepareSettings: {},
  activateSettings,
  exportedSettings,
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
    const { classifier } = given as GivenSettings // as read by its schema
    // A classifier that was given earlier may be gone: searches then continue without tags, as they do if it goes later.
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
