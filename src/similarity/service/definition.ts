import { defineService } from '../../services/service-definition.ts'
import { ActiveSimilar } from './active-similar.ts'
import { checkActivation } from './checking.ts'
import { adoptedContents, areOf, makeModel, neededParts } from './model.ts'
import { exportedSettings, givenSettings, prepareSettings, recommended } from './settings.ts'

/** Finds similar documents within tags. Its model is the weights of words and characters, and the documents. */
export const similar = defineService({
  type: 'similar',
  prepareSettings,
  activateSettings: givenSettings,
  exportedSettings,
  async *prepare(making) {
    const { contents, prepared } = yield* makeModel(making)
    return { settings: prepared, recommended, contents }
  },
  shown: ({ settings, dataset }) => ({
    fields: settings.fields ?? dataset().state.settings.interpretedFields,
  }),
  check: ({ settings, dataset }) => checkActivation(settings, dataset().state.settings),
  async *load(loading) {
    yield { done: 0, total: 1, phase: 'loading' }
    return await ActiveSimilar.load(loading)
  },
  adopted: adoptedContents,
  areOf,
  neededParts,
  bytes: ({ bytes }) => bytes,
})
