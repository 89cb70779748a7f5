import { type Answering, identified } from '../analytics/answering.ts'
import { askedBy } from '../analytics/asking.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { serviceMember } from '../wire/path-members.ts'
import {
  SearchPrepareSettings,
  SearchResultWrapper,
  SearchServiceModel,
  SearchServiceRequest,
  searchServiceModel,
  searchServiceResult,
} from '../wire/search-service.ts'
import {
  activateInput,
  SearchActivateSettings,
  serviceOrigins,
  serviceSettings,
} from '../wire/search-service-settings.ts'
import { defineRoute } from './define-route.ts'
import { exampleService } from './services.ts'
import { servicesOf, typedService } from './typed-service.ts'

const services = servicesOf('search', 'Search')

/** Contract, 10. Ordered so that each example can build on those before it. */
export function searchServiceRoutes(processes: Processes, answering: Answering): Route[] {
  const { prepare, activate, read, deactivate } = typedService(processes, {
    services,
    name: 'a search service',
    example: exampleService.id,
    prepare: {
      body: SearchPrepareSettings,
      example: { DataSetName: sampleDataset },
      does: 'finds the recommended settings for a dataset',
      names: 'dataset',
      start: (service, { DataSetName, Again = false }) =>
        service.prepare({ dataset: DataSetName, again: Again }),
    },
    activate: {
      body: SearchActivateSettings,
      example: { SearchSettings: { Count: 5, Filter: { Query: 'price:>5' } } },
      summary: 'Activates a search service; omitted settings keep their values, or the recommended ones',
      unfit: 'the settings do not match the dataset',
      start: (service, body) => service.activate(activateInput(body)),
    },
    origins: serviceOrigins,
    model: SearchServiceModel,
    show: searchServiceModel,
    stays: 'its settings stay',
  })
  return [
    prepare,
    activate,
    read,
    defineRoute({
      method: 'POST',
      path: '/api/Services/Search/{id}',
      action: 'Search/Search',
      summary: 'Searches with the settings of an active search service',
      members: serviceMember,
      body: SearchServiceRequest,
      origins: serviceOrigins,
      example: { path: exampleService, body: { Text: 'cordles drill', SearchSettings: { Count: 3 } } },
      responses: {
        200: { when: 'Documents, corrected texts and tags', body: SearchResultWrapper },
        400: {
          when: 'There is no active search service with that id or alias, or the settings do not match the dataset',
        },
      },
      handle: async ({ engine, path, body: { Text, WithQueryId, ...given }, deadline, ...call }) => {
        const ends = { ...deadline, ...askedBy(call) }
        const found = await services.asked(engine, path.id, service =>
          service.search<object>(Text, serviceSettings(given), ends),
        )
        answering.searches.searched(found.total)
        const result = searchServiceResult(found)
        return { status: 200, body: WithQueryId ? await identified(result, found, answering) : result }
      },
    }),
    deactivate,
  ]
}
