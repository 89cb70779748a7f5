import type { Engine, Job, SearchService } from 'findling'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { serviceMember } from '../wire/path-members.ts'
import { Process } from '../wire/processes.ts'
import {
  SearchPrepareSettings,
  SearchResultWrapper,
  SearchServiceModel,
  SearchServiceRequest,
  searchServiceModel,
  searchServiceResult,
} from '../wire/search-service.ts'
import { activateInput, SearchActivateSettings, serviceSettings } from '../wire/search-service-settings.ts'
import { defineRoute } from './define-route.ts'
import { refusedAs } from './refusals.ts'
import { exampleService } from './services.ts'

const noService = { when: 'There is no such service' }

const searchOf = ({ services }: Engine, id: string): SearchService => services.get(id, 'search')

/** Contract, 10. In the order in which the examples need each other. */
export function searchServiceRoutes(processes: Processes): Route[] {
  const started = async (engine: Engine, job: Job<void>, base: string) => ({
    status: 202 as const,
    body: await processes.model(engine, job.state, base),
  })
  return [
    defineRoute({
      method: 'POST',
      path: '/api/Services/Search/{id}/Prepare',
      action: 'Search/Prepare',
      summary: 'Prepares a search service: finds the recommended settings of a dataset',
      members: serviceMember,
      writes: true,
      body: SearchPrepareSettings,
      example: { path: exampleService, body: { DataSetName: sampleDataset } },
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: {
          when: 'It is of another type or not new, the body breaks its model, or there is no such dataset',
        },
        404: noService,
      },
      handle: async ({ engine, path, body, base }) => {
        const service = searchOf(engine, path.id)
        const prepare = async () => ({ job: service.prepare({ dataset: body.DataSetName }) })
        const { job } = await refusedAs('DATASET_NOT_FOUND', 400, prepare)
        return await started(engine, job, base)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Search/{id}/Activate',
      action: 'Search/Activate',
      summary: 'Activates a search service; settings that are left out stay, or are those recommended',
      members: serviceMember,
      body: SearchActivateSettings,
      bodyOptional: true,
      example: {
        path: exampleService,
        body: { SearchSettings: { Count: 5, Filter: { Query: 'price:>5' } } },
      },
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: { when: 'It is of another type or not prepared, or the settings do not fit the dataset' },
        404: noService,
      },
      handle: async ({ engine, path, body, base }) => {
        const job = searchOf(engine, path.id).activate(activateInput(body))
        return await started(engine, job, base)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/Services/Search/{id}',
      action: 'Search/Get',
      summary: 'Reads a search service with its settings',
      members: serviceMember,
      example: { path: exampleService },
      responses: {
        200: { when: 'The service', body: SearchServiceModel },
        400: { when: 'It is of another type' },
        404: noService,
      },
      handle: async ({ engine, path }) => ({
        status: 200,
        body: searchServiceModel(searchOf(engine, path.id)),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Search/{id}',
      action: 'Search/Search',
      summary: 'Searches by the settings of an active search service',
      members: serviceMember,
      body: SearchServiceRequest,
      example: { path: exampleService, body: { Text: 'cordles drill', SearchSettings: { Count: 3 } } },
      responses: {
        200: { when: 'Documents, corrected texts and tags', body: SearchResultWrapper },
        400: {
          when: 'There is no active search service of that id or alias, or the settings do not fit the dataset',
        },
      },
      handle: async ({ engine, path, body: { Text, ...given } }) => {
        const found = await refusedAs('SERVICE_NOT_FOUND', 400, async () =>
          searchOf(engine, path.id).search<object>(Text, serviceSettings(given)),
        )
        return { status: 200, body: searchServiceResult(found) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Search/{id}/Deactivate',
      action: 'Search/Deactivate',
      summary: 'Deactivates a search service; its settings stay',
      members: serviceMember,
      example: { path: exampleService },
      responses: {
        200: { when: 'The service is prepared' },
        400: { when: 'It is of another type or not active' },
        404: noService,
      },
      handle: async ({ engine, path }) => {
        await searchOf(engine, path.id).deactivate()
        return { status: 200 }
      },
    }),
  ]
}
