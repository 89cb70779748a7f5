import type { Engine, Job, ServiceTypeName, ServiceTypes } from 'findling'
import type * as z from 'zod'
import { HttpError, isEngineError } from '../http/errors.ts'
import type { Processes } from '../processes/processes.ts'
import { given } from '../wire/lists.ts'
import type { Origins } from '../wire/origins.ts'
import { serviceMember } from '../wire/path-members.ts'
import { Process } from '../wire/processes.ts'
import { serviceModel } from '../wire/services.ts'
import { defineRoute } from './define-route.ts'
import { requireTags } from './known-tags.ts'
import { refusedAs } from './refusals.ts'

export const noService = { when: 'There is no such service' }

/** What differs between service types in the routes that all of them have: names, bodies and models. */
interface TypedService<
  Type extends ServiceTypeName,
  Settings extends Dataset,
  Given,
  Model extends z.ZodType,
> {
  readonly services: ServicesOf<Type>
  /** Name in sentences, such as "a classifier". */
  readonly name: string
  /** Id or alias of the service that the examples use. */
  readonly example: string
  readonly prepare: {
    readonly body: z.ZodType<Settings>
    readonly example: unknown
    /** What preparing does, for the summary. */
    readonly does: string
    /** What the body names that may not exist. */
    readonly names: string
    start(service: ServiceTypes[Type], body: Settings, parallel: number): Job<void>
  }
  readonly activate: {
    readonly body: z.ZodType<Given>
    readonly example: unknown
    readonly summary: string
    /** When the body is refused. */
    readonly unfit: string
    start(service: ServiceTypes[Type], body: Given | undefined): Job<void>
  }
  /** Origins for both bodies. */
  readonly origins: Origins
  readonly model: Model
  show(service: ServiceTypes[Type]): z.output<Model> | Promise<z.output<Model>>
  /** What is kept when it is deactivated. */
  readonly stays: string
}

interface Dataset {
  readonly DataSetName: string
  readonly TagIdList?: readonly string[] | null | undefined
  readonly Again?: boolean | undefined
}

/** Functions to get a service of a type, whose name in paths and actions is given. */
export function servicesOf<Type extends ServiceTypeName>(type: Type, wire: string) {
  const of = ({ services }: Engine, id: string): ServiceTypes[Type] => {
    try {
      return services.get(id, type)
    } catch (error) {
      if (!(isEngineError(error) && error.code === 'SERVICE_TYPE')) throw error
      const { Name, Type } = serviceModel(services.get(id))
      throw new HttpError(400, `The service ${Name} has the type ${Type}, not ${wire}.`)
    }
  }
  return {
    /** The compiler infers the type of service from it. */
    type,
    wire,
    of,
    /** What all routes have that ask a service of the type to do something. */
    post: (name: string) =>
      ({
        method: 'POST',
        path: `/api/Services/${wire}/{id}/${name}`,
        action: `${wire}/${name}`,
        members: serviceMember,
      }) as const,
    /** Like `of`, for calls that answer 400 for every service that cannot answer, including one that does not exist. */
    asked: <T>(engine: Engine, id: string, ask: (service: ServiceTypes[Type]) => Promise<T>): Promise<T> =>
      refusedAs('SERVICE_NOT_FOUND', 400, async () => await ask(of(engine, id))),
  }
}

type ServicesOf<Type extends ServiceTypeName> = ReturnType<typeof servicesOf<Type>>

/** Contract, 7.2 and 7.3: the routes that every service type has. */
export function typedService<
  Type extends ServiceTypeName,
  Settings extends Dataset,
  Given,
  Model extends z.ZodType,
>(processes: Processes, about: TypedService<Type, Settings, Given, Model>) {
  const { name, prepare, activate, origins, model } = about
  const { wire, of, post } = about.services
  const path = { id: about.example }
  const accepted = { when: 'The started process', body: Process }
  return {
    prepare: defineRoute({
      ...post('Prepare'),
      summary: `Prepares ${name}: ${prepare.does}`,
      writes: true,
      body: prepare.body,
      origins,
      example: { path, body: prepare.example },
      responses: {
        202: accepted,
        400: {
          when: `The service has another type or is not new (with Again: is busy), the body is invalid, or there is no such ${prepare.names}`,
        },
        404: noService,
      },
      handle: async ({ path, body, ...call }) => {
        const service = of(call.engine, path.id)
        const begin = async () => {
          const tags = given(body.TagIdList)
          // A problem with its status is reported first.
          if (tags && (body.Again || service.status === 'new'))
            await requireTags(call.engine.datasets.get(body.DataSetName), tags)
          return { job: prepare.start(service, body, call.parallel) }
        }
        const unknown = `DataSetName is ${JSON.stringify(body.DataSetName)}; expected the name of a dataset`
        const { job } = await refusedAs('DATASET_NOT_FOUND', 400, begin, unknown)
        return await processes.started(job, call)
      },
    }),
    activate: defineRoute({
      ...post('Activate'),
      summary: activate.summary,
      body: activate.body,
      origins,
      bodyOptional: true,
      example: { path, body: activate.example },
      responses: {
        202: accepted,
        400: { when: `The service has another type or is not prepared, or ${activate.unfit}` },
        404: noService,
      },
      handle: async ({ path, body, ...call }) =>
        await processes.started(activate.start(of(call.engine, path.id), body), call),
    }),
    read: defineRoute({
      method: 'GET',
      path: `/api/Services/${wire}/{id}`,
      members: serviceMember,
      action: `${wire}/Get`,
      summary: `Reads ${name} with its settings`,
      example: { path },
      responses: {
        200: { when: 'The service', body: model },
        400: { when: 'The service has another type' },
        404: noService,
      },
      handle: async ({ engine, path }) => {
        const body = await about.show(of(engine, path.id))
        return { status: 200, body }
      },
    }),
    deactivate: defineRoute({
      ...post('Deactivate'),
      summary: `Deactivates ${name}; ${about.stays}`,
      example: { path },
      responses: {
        200: { when: 'The service is prepared' },
        400: { when: 'The service has another type or is not active' },
        404: noService,
      },
      handle: async ({ engine, path }) => {
        await of(engine, path.id).deactivate()
        return { status: 200 }
      },
    }),
  }
}
