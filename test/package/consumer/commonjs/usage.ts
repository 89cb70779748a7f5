import { deepEqual, equal, ok } from 'node:assert/strict'
import { type Dataset, Engine, FindlingError, type Hit } from 'findling'

interface Product {
  id: string
  title: string
}

async function titles(products: Dataset<Product>, query: string): Promise<string[]> {
  const { hits } = await products.search(query)
  return hits.map(({ document }: Hit<Product>) => document.title)
}

async function main(): Promise<void> {
  const engine = await Engine.open()
  const products = await engine.datasets.create<Product>('products')
  await products.documents.insert({ id: '1', title: 'Wireless headphones' })
  deepEqual(await titles(products, 'hedphones'), ['Wireless headphones'])
  const refused: unknown = await products.documents.insert({ id: '1', title: '' }).catch(error => error)
  ok(refused instanceof FindlingError)
  equal(refused.code, 'DOCUMENT_EXISTS')
  await engine.close()
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
