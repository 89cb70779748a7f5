import { CallError, createClient, type Result, type SearchResult, Tags, unwrap } from '@findling/client'
import { createSearch } from '@findling/client/search'

interface Product {
  id: string
  title: string
  price?: number
}

const client = createClient({
  baseAddress: 'https://example.com/shop',
  key: async () => 'key',
  timeout: 1000,
})
const shop = client.dataset<Product>('shop')

export async function usage(signal: AbortSignal): Promise<string[]> {
  const result: Result<SearchResult<Product>> = await shop.search({ text: 'drill', limit: 3 }, { signal })
  if (!result.isSuccessful) return [...result.errors.errors, result.failure ?? '']
  const { hits } = result.responseObject
  await shop.documents.update('1', { price: 3 })
  // @ts-expect-error a document has no such field
  await shop.documents.update('1', { prise: 3 })
  // @ts-expect-error nor has a search such a member
  await shop.search({ text: 'drill', limt: 3 })
  await client.processes.wait(shop.documents.import([{ id: '1', title: 'Drill' }]), { signal })
  for await (const { title } of shop.documents.filterAll()) hits.push({ id: title, score: 0 })
  const stream: ReadableStream<Uint8Array> = await unwrap(shop.documents.export())
  await stream.cancel()
  await new Tags(client.connection, 'shop').list()
  const search = createSearch<Product>({ baseAddress: 'https://example.com', key: 'key', dataset: 'shop' })
  const session = search.asYouType({ limit: 5 })
  session.subscribe(({ answer }) => answer?.result.hits.map(({ document }) => document?.title))
  return hits.map(({ id, document }) => `${id}: ${document?.title}`)
}

export const isRefused = (error: unknown): boolean =>
  error instanceof CallError && error.httpStatusCode === 403
