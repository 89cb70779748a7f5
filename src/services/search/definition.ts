import { defineService } from '../definition.ts'
import type { ActiveSearch } from './answering.ts'
import { checkSettings, refuseTooMuch } from './checking.ts'
import { type Activation, activateSettings, fieldsFor, recommended } from './settings.ts'

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
  check({ settings, ...surroundings }) {
    const activation = settings as Activation // what is recommended, with what was given laid over it
    checkSettings(activation, surroundings)
    refuseTooMuch(activation.search)
  },
  async *load({ settings, dataset, recommender }) {
    // The first who asks shall not wait for the index.
    yield { done: 0, total: 1, phase: 'loading the index' }
    await dataset().index.settle()
    return { activation: settings, dataset, recommender } as ActiveSearch
  },
})
