import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine, languages } from 'findling'
import { type ExtractedFile, extract } from 'findling/extract'

const page: ExtractedFile = await extract(Buffer.from('<html><title>Hoses</title><p>Brass'))
assert.equal(page.title, 'Hoses')

let workers = 0
process.on('worker', () => {
  workers += 1
})

const store = await mkdtemp(join(tmpdir(), 'findling-store-'))
try {
  const engine = await Engine.open({ store })
  const products = await engine.datasets.create('products', { interpretedFields: ['title', 'description'] })
  await products.documents.insert({ id: '1', title: 'Wireless headphones' })
  await products.documents.insert({ id: '2', title: 'Garden hose' })
  const { hits } = await products.search('wireles hedphones', { limit: 10 })
  assert.deepEqual(
    hits.map(hit => hit.id),
    ['1'],
  )
  assert.equal(hits[0]?.document.title, 'Wireless headphones')

  await products.reconfigure({ language: 'none' }).finished
  assert.ok(workers > 0, 'reconfigure started no worker thread')
  assert.equal((await products.search('garden')).hits[0]?.id, '2')

  await products.documents.insert({ id: '3', title: 'Zwei Häuser' })
  await products.reconfigure({ language: 'german' }).finished
  assert.equal((await products.search('haus', { typoTolerance: 0 })).hits[0]?.id, '3')
  for (const language of languages) {
    await products.reconfigure({ language }).finished
    assert.equal((await products.search('Häuser')).hits[0]?.id, '3', language)
  }
  await engine.close()
} finally {
  await rm(store, { recursive: true, force: true })
}
