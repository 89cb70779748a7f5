import { Engine } from 'findling'
import { expect, onTestFinished, test } from 'vitest'

test('is another text after every change, once that is done, and the same as long as nothing changes', async () => {
  const engine = await Engine.open()
  onTestFinished(() => engine.close())
  const products = await engine.datasets.create('products', {
    sample: { id: '1', title: 'A lamp', tag: ['a'] },
  })
  const seen = new Set([await products.version()])
  const changes: (() => Promise<unknown>)[] = [
    () => products.documents.insert({ id: '1', title: 'A lamp', tag: ['a'] }),
    () => products.documents.update('1', { title: 'A desk lamp' }),
    () => products.documents.bulk([{ id: '2', title: 'A vase', tag: ['a'] }]),
    () => products.tags.create({ id: 'a', name: 'Light' }),
    () => products.tags.update('a', { name: 'Lights' }),
    () => products.tags.remove('a'),
    () => products.reconfigure({ relax: true }).finished,
    () => products.documents.delete('1'),
    async () => {
      await engine.datasets.remove('products')
      await engine.datasets.create('products', { sample: { id: '1', title: 'A lamp', tag: ['a'] } })
    },
  ]
  for (const change of changes) {
    await change()
    const version = await products.version()
    expect(seen.has(version)).toBe(false)
    seen.add(version)
    await products.search('lamp')
    await engine.namespace('other').put('a', 1)
    expect(await products.version()).toBe(version)
  }
})
