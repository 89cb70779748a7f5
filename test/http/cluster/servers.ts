import { join } from 'node:path'
import { ClusterNode, type Log } from '@findling/cluster'
import { onTestFinished } from 'vitest'
import { createApp } from '../../../adapters/http/src/app.ts'
import { membershipOf } from '../../../adapters/http/src/cluster/open-node.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { openOwner } from '../../../adapters/http/src/licence/owner.ts'
import { createSetup } from '../../../adapters/http/src/setup/setup.ts'
import { hashCost } from '../access/hash-cost.ts'

export interface Server {
  readonly node: ClusterNode
  readonly instanceId: string
  readonly newSecret: string | undefined
  /** With the secret of the tests unless another one is given. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** The answer of a call that has to succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of any route
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<any>
}

export const secret = 's3cr3t-of-cluster'

/** One server of a cluster, which is not listening. */
export async function openServer(
  log: Log,
  name: string,
  { store, seed = secret }: { store: string; seed?: string | null },
): Promise<Server> {
  const node = await ClusterNode.open({ log, store: join(store, name), patience: 1000 })
  await node.latest()
  const { engine } = node
  const config = { ...readConfig({ FINDLING_FILES_FOLDER: join(store, 'files') }), diskMinimumMb: 0 }
  const schemes = config.authSchemes
  const { access, licence, newSecret } = await openOwner(
    engine,
    { schemes, seed: seed ?? undefined, hashCost },
    undefined,
  )
  const membership = membershipOf(node, { name, readyLag: 500 })
  const setup = createSetup({ access, licence })
  const app = createApp({ engine, config, access, licence, setup, membership })
  onTestFinished(async () => {
    await app.close()
    await node.close()
  })
  const call: Server['call'] = (method, path, body, headers) =>
    app.fetch(
      new Request(`http://server${path}`, {
        method,
        headers: {
          Authorization: `Findling ${secret}`,
          'X-DataSet': 'shop',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
  return {
    node,
    newSecret,
    instanceId: licence.instanceId,
    call,
    async ask(...request) {
      const reply = await call(...request)
      if (!reply.ok) throw new Error(`${request[0]} ${request[1]}: ${reply.status} ${await reply.text()}`)
      const text = await reply.text()
      return text === '' ? undefined : JSON.parse(text)
    },
  }
}
