import type { Service, ServiceTypeName, ServiceTypes } from 'findling'
import type { Scenario, Scenarios, Scene } from './scenario.ts'

const none = '00000000-0000-4000-8000-000000000000'

/** Leaves a service behind, in whatever state. */
export type Leave<Left = { readonly id: string }> = (scene: Scene) => Promise<Left>

interface Called {
  /** Left out: there is no such service. */
  readonly of?: Leave
  readonly body?: (scene: Scene) => unknown
  /** On a disk that is nearly full. */
  readonly full?: true
}

export const nothing = () => ({})

/** Creates one that nothing was done with. */
export const created =
  <Type extends ServiceTypeName>(type: Type): Leave<ServiceTypes[Type]> =>
  async ({ api }) =>
    await api.engine.services.create({ type, name: 'Shop' })

/** A call below the path of a service, to which it adds its id and the name of the call. */
export function calledBelow(path: string) {
  return (method: string, call: string, { of, body, full }: Called = {}): Scenario =>
    async scene => {
      const id = of ? (await of(scene)).id : none
      const send = full ? scene.sendFull : scene.send
      return await send(method, `${path}/${id}${call && `/${call}`}`, body && { body: body(scene) })
    }
}

interface TypedService<Type extends ServiceTypeName> {
  readonly wire: string
  readonly type: Type
  /** Prepares it by the engine. */
  prepare(service: ServiceTypes[Type], scene: Scene): PromiseLike<void>
  /** Bodies of Prepare, right and wrong. */
  settings(scene: Scene): unknown
  wrongSettings(scene: Scene): unknown
}

/** The scenarios that every type of service has, and what the others are made of. */
export function typedService<Type extends ServiceTypeName>(about: TypedService<Type>) {
  const { wire, type, settings, wrongSettings } = about
  const fresh = created(type)
  const prepared: typeof fresh = async scene => {
    const service = await fresh(scene)
    await about.prepare(service, scene)
    return service
  }
  const active: typeof fresh = async scene => {
    const service = await prepared(scene)
    await (service as Service).activate()
    return service
  }
  const path = `/api/Services/${wire}`
  const called = calledBelow(path)
  const ofOther = created(type === 'search' ? 'classifier' : 'search')
  const scenarios: Scenarios = {
    [`GET ${path}/{id}`]: {
      200: called('GET', '', { of: active }),
      400: called('GET', '', { of: ofOther }),
      404: called('GET', ''),
    },
    [`POST ${path}/{id}/Prepare`]: {
      202: called('POST', 'Prepare', { of: fresh, body: settings }),
      400: called('POST', 'Prepare', { of: fresh, body: wrongSettings }),
      404: called('POST', 'Prepare', { body: settings }),
      507: called('POST', 'Prepare', { of: fresh, body: settings, full: true }),
    },
    [`POST ${path}/{id}/Activate`]: {
      202: called('POST', 'Activate', { of: prepared, body: nothing }),
      400: called('POST', 'Activate', { of: fresh, body: nothing }),
      404: called('POST', 'Activate', { body: nothing }),
    },
    [`POST ${path}/{id}/Deactivate`]: {
      200: called('POST', 'Deactivate', { of: active }),
      400: called('POST', 'Deactivate', { of: prepared }),
      404: called('POST', 'Deactivate'),
    },
  }
  return { fresh, prepared, active, ofOther, called, scenarios }
}
