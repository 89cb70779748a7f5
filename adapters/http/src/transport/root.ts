import type { Engine } from 'findling'
import type { Access } from '../access/access.ts'
import type { Answer } from '../route.ts'
import { HttpError } from './errors.ts'
import { apiVersion } from './version.ts'

/** What `GET /` says of this installation (contract, 2.6). */
export function description(instanceId: string, base: string): Answer {
  return {
    status: 200,
    body: { Name: 'Findling', Version: apiVersion, InstanceId: instanceId, Information: `${base}/docs` },
  }
}

/** Says whether calls can be answered: the store is open, and there is a secret to call with. */
export async function readiness(engine: Engine, access: Access): Promise<Answer> {
  if (!access.isSet()) throw new HttpError(503, 'No secret is set yet: open /setup.')
  await engine.namespace('http').get('ready') // refused by an engine that is closed
  return { status: 200, body: { Status: 'Ready' } }
}
