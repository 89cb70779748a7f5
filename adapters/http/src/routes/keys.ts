import { randomInt } from 'node:crypto'
import type { Engine } from 'findling'
import * as z from 'zod'
import type { Keys, NamedKeyInput } from '../access/keys.ts'
import { HttpError } from '../http/errors.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { Key, KeyInput, keyInput, keyModel, NewKey } from '../wire/keys.ts'
import { defineRoute } from './define-route.ts'
import { refusedAs } from './refusals.ts'

/** Keys beside the secret of the owner. */
export function keyRoutes(keys: Pick<Keys, 'list' | 'create' | 'revoke'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/Keys',
      action: 'Keys/Get',
      summary: 'Lists the named keys, oldest first; what they are is not known any more',
      extension: true,
      responses: { 200: { when: 'All keys, expired ones too', body: z.array(Key) } },
      handle: async () => ({ status: 200, body: (await keys.list()).map(keyModel) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Keys',
      action: 'Keys/Post',
      summary: 'Creates a named key and shows it, this once',
      extension: true,
      body: KeyInput,
      example: {
        body: () => ({
          Name: `Search box ${randomInt(1e9)}`,
          Scopes: ['Search'],
          DataSets: [sampleDataset],
          Filter: 'price:<100',
          Expires: '2099-12-31T00:00:00Z',
        }),
      },
      responses: {
        201: { when: 'The key', body: NewKey },
        400: { when: 'The body breaks its model, or the filter does not fit a dataset' },
        409: { when: 'The name is taken, or there are 10,000 keys' },
      },
      handle: async ({ engine, body }) => {
        const input = keyInput(body)
        if (input.expiresAt !== null && input.expiresAt <= Date.now())
          throw new HttpError(400, `Expires is ${body.Expires}; expected a time that is still to come.`)
        await requireFilter(engine, input)
        const { about, key } = await keys.create(input)
        return { status: 201, body: { ...keyModel(about), Key: key } }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/Keys/{id}',
      action: 'Keys/Delete',
      summary: 'Removes a named key; the next call with it is refused',
      extension: true,
      members: z.object({ id: z.string().describe('Id of a key, from the list of keys') }),
      responses: { 200: { when: 'The key is gone' }, 404: { when: 'There is no such key' } },
      handle: async ({ path: { id } }) => {
        if (await keys.revoke(id)) return { status: 200 }
        throw new HttpError(404, `There is no key ${JSON.stringify(id.slice(0, 60))}.`)
      },
    }),
  ]
}

/** A filter that cannot be read, or does not fit, would hide everything at every call. */
async function requireFilter(engine: Engine, { filter, datasets }: NamedKeyInput): Promise<void> {
  if (filter === null || datasets === null) return
  for (const [place, name] of datasets.entries()) {
    const unknown = `DataSets[${place}] is ${JSON.stringify(name)}; expected the name of a dataset`
    await refusedAs('DATASET_NOT_FOUND', 400, () => engine.datasets.get(name).count(filter), unknown)
  }
}
