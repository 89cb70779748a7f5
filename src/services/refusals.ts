import { FindlingError } from '../errors.ts'
import { describeValue } from '../input.ts'
import type { ServiceStatus } from './service-status.ts'

/** For a service that existed when the caller obtained it. */
export function noService(idOrAlias: unknown): never {
  const received = describeValue(idOrAlias)
  throw new FindlingError('SERVICE_NOT_FOUND', `There is no service with the id or alias ${received}.`, {
    field: 'idOrAlias',
    received,
    expected: 'the id or alias of a service that exists',
  })
}

/** For an id that a service has, or had until a moment ago. */
export const taken = (id: string): FindlingError =>
  new FindlingError('SERVICE_EXISTS', `There is already a service with the id ${describeValue(id)}.`, {
    field: 'id',
    received: describeValue(id),
    expected: 'an id that is not taken',
  })

export function wrongType(name: string, type: string, wanted: unknown): never {
  const message = `The service ${name} is of the type ${type}, not ${describeValue(wanted)}.`
  throw new FindlingError('SERVICE_TYPE', message, {
    field: 'type',
    received: describeValue(wanted),
    expected: JSON.stringify(type),
  })
}

/** @param what it cannot do, as "activate" */
export function wrongState(
  name: string,
  received: ServiceStatus | 'preparing again',
  what: string,
  expected: string,
): never {
  const isAgain =
    what === 'prepare' && expected === 'new' && received !== 'busy' && received !== 'preparing again'
  const message = `The service ${name} cannot ${what}: it is ${received}, but must be ${expected}${isAgain ? ', unless it is prepared again' : ''}.`
  throw new FindlingError('SERVICE_STATE', message, { field: 'status', received, expected })
}
