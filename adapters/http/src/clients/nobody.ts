import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Engine, type Namespace } from 'findling'
import * as z from 'zod'
import { accessToNothing } from '../access/access.ts'
import type { Config } from '../config/config.ts'
import { openLicence } from '../licence/licence.ts'
import { createRouter, ServingParts } from '../router.ts'
import { filesRoute } from '../routes/files.ts'
import type { Measured } from '../routes/metrics.ts'
import { rootRoutes } from '../routes/root.ts'
import { apiOf, type Client, type Shared } from './client.ts'

export type Nobody = Pick<Client, 'fetch' | 'close'> & { readonly measured: Measured }

export interface NobodyOptions extends Shared {
  readonly config: Config
  /** Of the operator's store. */
  readonly namespace: Namespace
}

/**
 * Answers for all clients that do not exist: the API over an empty engine that accepts no key. It has the same routes and
 * stages as that of a client, so its answers are those of a client to a wrong key, byte for byte and at the same cost.
 */
export async function openNobody(options: NobodyOptions): Promise<Nobody> {
  const { config, checks, logger, hashCost, exampleLicence, extractor, namespace, readiness } = options
  const instanceId = await instanceIds(namespace)
  const engine = await Engine.open({ extractor })
  const access = accessToNothing({ schemes: config.authSchemes, checks, hashCost })
  const licence = await openLicence(engine)
  // Folders that do not exist, so no file is found.
  const nowhere = { ...config, filesFolder: join(config.filesFolder, '.nobody', 'files') }
  const parts = new ServingParts({ engine, config: nowhere, logger })
  const { requests, files } = parts
  const table = [
    ...apiOf(parts, { access, licence, exampleLicence }),
    ...rootRoutes(access, instanceId, readiness),
    filesRoute(files),
  ]
  return {
    fetch: createRouter(table, { engine, config: nowhere, access, logger }, parts),
    // Not a possible client id.
    measured: { engine, store: join(config.store, '.nobody'), requests, labels: { client: '?' } },
    async close() {
      await parts.close()
      await engine.close()
    },
  }
}

/** Instance ids like those of clients: a fixed one for each name, derived with a secret key. */
async function instanceIds(namespace: Namespace): Promise<(client: string) => string> {
  if ((await namespace.get('key')) === undefined)
    await namespace.put('key', randomBytes(32).toString('base64'), { ifAbsent: true })
  // Another server may have been the first.
  const key = z.string().parse(await namespace.get('key'))
  return client => {
    const bytes = createHmac('sha256', Buffer.from(key, 'base64')).update(client).digest().subarray(0, 16)
    // RFC 9562, section 5.4: version 4, as those of clients.
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const hex = bytes.toString('hex')
    return [8, 12, 16, 20, 32].map((end, at) => hex.slice([0, 8, 12, 16, 20][at], end)).join('-')
  }
}
