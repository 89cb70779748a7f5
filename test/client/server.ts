import { type Client, createClient } from '../../adapters/client/src/client.ts'
import type { Configuration } from '../../adapters/client/src/configuration.ts'
import { type Api, type Given, secret, startApi } from '../http/routes/api.ts'

export interface Product {
  id: string
  title: string
  brand: string
  price: number
  tag: string[]
}

export const products: Product[] = [
  { id: 'p1', title: 'Cordless drill', brand: 'Torquill', price: 89, tag: ['drills'] },
  { id: 'p2', title: 'Hammer drill', brand: 'Bohrwerk', price: 129, tag: ['drills'] },
  { id: 'p3', title: 'Garden hose', brand: 'Quellgrund', price: 19, tag: ['garden'] },
  { id: 'p4', title: 'Garden hose reel', brand: 'Quellgrund', price: 49, tag: ['garden'] },
]

export interface Server extends Api {
  /** A client with the secret, unless the configuration has something else. */
  client(configuration?: Partial<Configuration>): Client
}

export async function startServer(given?: Given): Promise<Server> {
  const api = await startApi(given)
  return {
    ...api,
    client: (configuration = {}) =>
      createClient({
        baseAddress: api.url,
        ...(configuration.key === undefined && { secret }),
        ...configuration,
      }),
  }
}

/** The dataset `shop`, with products and their tags. */
export async function fillShop(client: Client, name = 'shop'): Promise<void> {
  const shop = client.dataset<Product>(name)
  const steps = [
    () =>
      client.dataSets.create({
        name,
        nGramCount: 2,
        idField: 'id',
        tagField: 'tag',
        interpretedFields: ['title', 'brand'],
        sampleDocument: products[0],
      }),
    () =>
      shop.tags.bulk([
        { id: 'drills', name: 'Drills' },
        { id: 'garden', name: 'Garden' },
      ]),
    () => shop.documents.bulk(products),
  ]
  for (const step of steps) {
    const result = await step()
    if (!result.isSuccessful) throw new Error(result.errors.errors.join())
  }
}
