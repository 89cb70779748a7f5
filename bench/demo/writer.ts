/** Writes products one by one into the store named by its argument until it is killed, and says which are acknowledged. */
import { Engine } from 'findling'
import { numberedProduct } from './numbered-product.ts'

const [, , store] = process.argv
const engine = await Engine.open({ store: store! })
const { documents } = engine.datasets.get('catalogue')
for (let number = 1; ; number++) {
  const { id } = await documents.insert(numberedProduct(number))
  process.stdout.write(`${id}\n`)
}
