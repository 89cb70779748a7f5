import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import type { Route } from '../route.ts'
import { serviceMember } from '../wire/path-members.ts'
import {
  ServiceCreation,
  ServiceModel,
  ServiceUpdate,
  serviceChanges,
  serviceInput,
  serviceModel,
} from '../wire/services.ts'
import { defineRoute } from './define-route.ts'
import { noService } from './typed-service.ts'

/** The alias of the service that the examples create. */
export const exampleService = { id: 'demo-search' }

/** Contract, 7.2. */
export const servicesRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/Services',
    action: 'Services/Get',
    summary: 'Lists the services, oldest first',
    responses: { 200: { when: 'All services', body: z.array(ServiceModel) } },
    handle: async ({ engine: { services } }) => ({
      status: 200,
      body: services.list().map(({ id }) => serviceModel(services.get(id))),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/Services',
    action: 'Services/Post',
    summary: 'Creates a service',
    writes: true,
    body: ServiceCreation,
    example: { body: { Name: 'Search in the demo', Alias: exampleService.id, Type: 'Search' } },
    responses: {
      201: { when: 'The service; the next step is to prepare it', body: ServiceModel },
      400: { when: 'The body is invalid, or contains an id' },
    },
    handle: async ({ engine, body, base }) => {
      if (body.Id) throw new HttpError(400, 'Id must be left out: the server assigns it.')
      const service = await engine.services.create(serviceInput(body))
      return {
        status: 201,
        body: serviceModel(service),
        headers: { Location: `${base}/api/services/${service.id}` },
      }
    },
  }),
]

/** Routes for a service of any type. They follow those of the types, because the examples end with its removal. */
export const serviceRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/Services/{id}',
    action: 'Services/Get',
    summary: 'Reads a service',
    members: serviceMember,
    example: { path: exampleService },
    responses: { 200: { when: 'The service', body: ServiceModel }, 404: noService },
    handle: async ({ engine, path }) => ({ status: 200, body: serviceModel(engine.services.get(path.id)) }),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/Services/{id}',
    action: 'Services/Put',
    summary: 'Changes the name, alias and description of a service',
    members: serviceMember,
    writes: true,
    body: ServiceUpdate,
    example: { path: exampleService, body: { Name: 'Search', Description: 'Finds products of the demo' } },
    responses: {
      200: { when: 'The service is changed' },
      400: { when: 'The body is invalid' },
      404: noService,
    },
    handle: async ({ engine, path, body }) => {
      await engine.services.get(path.id).update(serviceChanges(body))
      return { status: 200 }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/Services/{id}',
    action: 'Services/Delete',
    summary: 'Removes a service with its processes; a running one is cancelled first',
    members: serviceMember,
    example: { path: exampleService },
    responses: { 200: { when: 'The service is removed' }, 404: noService },
    handle: async ({ engine, path }) => {
      await engine.services.get(path.id).remove()
      return { status: 200 }
    },
  }),
]
