import type { DatasetSettingsInput } from 'findling'
import type * as z from 'zod'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { camel, fromWire } from '../wire/casing.ts'
import { DataSetSettings } from '../wire/datasets.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 20. */
export function reconfigureRoute(processes: Processes): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/DataSets/{name}/Reconfigure',
    action: 'DataSets/Reconfigure',
    summary: 'Changes settings of a dataset and indexes it anew where they ask for it',
    extension: true,
    writes: true,
    body: DataSetSettings,
    responses: {
      202: { when: 'The process that does it', body: Process },
      400: { when: 'A name or a setting breaks its rule' },
      404: { when: 'There is no such dataset' },
    },
    handle: async ({ engine, path, body, base }) => {
      const job = engine.datasets.get(path.name!).reconfigure(settingsIn(body))
      return { status: 202, body: await processes.model(engine, job.state, base) }
    },
  })
}

function settingsIn(model: z.output<typeof DataSetSettings>): DatasetSettingsInput {
  const { Language, Validation, Weights, ...plain } = model
  return {
    ...fromWire(plain),
    ...(Language && { language: camel(Language) }),
    ...(Validation && { validation: camel(Validation) }),
    ...(Weights && {
      weights: Object.fromEntries(Weights.map(({ Field, ...weight }) => [Field, fromWire(weight)])),
    }),
  }
}
