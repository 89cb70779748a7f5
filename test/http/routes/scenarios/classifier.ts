import type { ClassifierService } from 'findling'
import type { Reply } from '../api.ts'
import type { Scenario, Scenarios, Scene } from './scenario.ts'

const none = '00000000-0000-4000-8000-000000000000'

type Leave = (scene: Scene) => Promise<ClassifierService>

const fresh: Leave = async ({ api }) => await api.engine.services.create({ type: 'classifier', name: 'Tags' })

const prepared: Leave = async scene => {
  const service = await fresh(scene)
  await service.prepare({ dataset: scene.shop, parallel: 1 })
  return service
}

const active: Leave = async scene => {
  const service = await prepared(scene)
  await service.activate()
  return service
}

/** A call of a service as one of these functions leaves it. */
function called(
  call: string,
  { of, body, full }: { of?: Leave; body?: (scene: Scene) => unknown; full?: true } = {},
): Scenario {
  return async (scene): Promise<Reply> => {
    const id = of ? (await of(scene)).id : none
    const path = `/api/Services/Classifier/${id}${call && `/${call}`}`
    const send = full ? scene.sendFull : scene.send
    return await send(call ? 'POST' : 'GET', path, body && { body: body(scene) })
  }
}

const settings = ({ shop }: Scene) => ({ DataSetName: shop, NGramList: [1] })
const unknownTag = ({ shop }: Scene) => ({ DataSetName: shop, NGramList: [1], TagIdList: ['nothing'] })
const nothing = () => ({})
const text = () => ({ Text: 'hose' })
const sizes = () => ({ NGramList: [1] })

export const classifierScenarios: Scenarios = {
  'GET /api/Services/Classifier/{id}': {
    200: called('', { of: fresh }),
    400: async scene => {
      const { id } = await scene.api.engine.services.create({ type: 'search', name: 'Shop' })
      return await scene.send('GET', `/api/Services/Classifier/${id}`)
    },
    404: called(''),
  },
  'POST /api/Services/Classifier/{id}/Prepare': {
    202: called('Prepare', { of: fresh, body: settings }),
    400: called('Prepare', { of: fresh, body: unknownTag }),
    404: called('Prepare', { body: settings }),
    507: called('Prepare', { of: fresh, body: settings, full: true }),
  },
  'POST /api/Services/Classifier/{id}/Activate': {
    202: called('Activate', { of: prepared, body: nothing }),
    400: called('Activate', { of: fresh, body: nothing }),
    404: called('Activate', { body: nothing }),
  },
  'POST /api/Services/Classifier/{id}/Recommend': {
    200: called('Recommend', { of: active, body: text }),
    400: called('Recommend', { body: text }),
  },
  'POST /api/Services/Classifier/{id}/ExportDictionaries': {
    202: called('ExportDictionaries', { of: prepared, body: sizes }),
    400: called('ExportDictionaries', { of: fresh, body: sizes }),
    404: called('ExportDictionaries', { body: sizes }),
    507: called('ExportDictionaries', { of: prepared, body: sizes, full: true }),
  },
  'POST /api/Services/Classifier/{id}/Deactivate': {
    200: called('Deactivate', { of: active }),
    400: called('Deactivate', { of: prepared }),
    404: called('Deactivate'),
  },
}
