import { randomInt } from 'node:crypto'
import type { Engine } from 'findling'
import * as z from 'zod'
import type { Keys, NamedKeyInput } from '../access/keys.ts'
import { HttpError } from '../http/errors.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { Key, KeyExchange, KeyInput, keyInput, keyModel, NewKey } from '../wire/keys.ts'
import { defineRoute } from './define-route.ts'
import { hiddenSearched } from './held-searches.ts'
import { refusedAs } from './refusals.ts'

const HOUR = 3_600_000

const keyMember = z.object({ id: z.string().describe('Id of a key, from the list of keys') })

/** Named keys, in addition to the owner's secret. */
export function keyRoutes(keys: Pick<Keys, 'list' | 'create' | 'exchange' | 'revoke'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/Keys',
      action: 'Keys/Get',
      summary: 'Lists the named keys, oldest first, without the keys themselves, which are not stored',
      extension: true,
      responses: { 200: { when: 'All keys, including expired ones', body: z.array(Key) } },
      handle: async () => ({ status: 200, body: (await keys.list()).map(keyModel) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Keys',
      action: 'Keys/Post',
      summary: 'Creates a named key and shows it, only this once',
      extension: true,
      body: KeyInput,
      example: {
        body: () => ({
          Name: `Search box ${randomInt(1e9)}`,
          Scopes: ['Search'],
          DataSets: [sampleDataset],
          Filter: 'price:<100',
          Public: true,
          Expires: '2099-12-31T00:00:00Z',
        }),
      },
      responses: {
        201: { when: 'The key', body: NewKey },
        400: { when: 'The body is invalid, or Filter or ResponseFields does not match a dataset' },
        409: { when: 'The name is taken, or there are 10,000 keys' },
      },
      handle: async ({ engine, body }) => {
        const input = keyInput(body)
        if (input.expiresAt !== null && input.expiresAt <= Date.now())
          throw new HttpError(400, `Expires is ${body.Expires}; expected a time in the future.`)
        await requireFilter(engine, input)
        requireSearched(engine, input)
        const { about, key } = await keys.create(input)
        return { status: 201, body: { ...keyModel(about), Key: key } }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Keys/{id}/Exchange',
      action: 'Keys/Exchange',
      summary:
        'Replaces a named key by a new one, shown only this once; the old one remains valid for a day by default',
      extension: true,
      members: keyMember,
      body: KeyExchange,
      bodyOptional: true,
      responses: { 200: { when: 'The key', body: NewKey }, 404: { when: 'There is no such key' } },
      handle: async ({ path: { id }, body = KeyExchange.parse({}) }) => {
        const made = await keys.exchange(id, body.KeepOldHours * HOUR)
        if (made) return { status: 200, body: { ...keyModel(made.about), Key: made.key } }
        throw noKey(id)
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/Keys/{id}',
      action: 'Keys/Delete',
      summary: 'Removes a named key; calls with it are refused from now on',
      extension: true,
      members: keyMember,
      responses: { 200: { when: 'The key is removed' }, 404: { when: 'There is no such key' } },
      handle: async ({ path: { id } }) => {
        if (await keys.revoke(id)) return { status: 200 }
        throw noKey(id)
      },
    }),
  ]
}

const noKey = (id: string) => new HttpError(404, `There is no key ${JSON.stringify(id.slice(0, 60))}.`)

/** Searched fields cannot be hidden, because any search reveals their words. */
function requireSearched({ datasets: all }: Engine, { responseFields, datasets }: NamedKeyInput): void {
  if (!responseFields || !datasets) return
  for (const [place, name] of datasets.entries()) {
    if (!all.has(name))
      throw new HttpError(
        400,
        `DataSets[${place}] is ${JSON.stringify(name)}; expected the name of a dataset`,
      )
    const missing = hiddenSearched(all.get(name), responseFields)
    if (missing === undefined) continue
    const text = `ResponseFields has no ${JSON.stringify(missing)}; expected all searched fields of ${name}, as any search reveals their words`
    throw new HttpError(400, text)
  }
}

/** Refuses a filter that cannot be parsed or does not fit a dataset: it would break every call with the key. */
async function requireFilter(engine: Engine, { filter, datasets }: NamedKeyInput): Promise<void> {
  if (filter === null || datasets === null) return
  for (const [place, name] of datasets.entries()) {
    const unknown = `DataSets[${place}] is ${JSON.stringify(name)}; expected the name of a dataset`
    await refusedAs('DATASET_NOT_FOUND', 400, () => engine.datasets.get(name).count(filter), unknown)
  }
}
