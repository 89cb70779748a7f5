import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { splitKey } from '../../src/store/keyspace.ts'
import { memoryDatabase, openEngine } from '../engine/engines.ts'
import { keysOf } from '../store/raw-store.ts'

const map = readFileSync(new URL('../../src/README.md', import.meta.url), 'utf8')
const table = /## Where state comes from\n([\s\S]*?)\n## /.exec(map)![1]!
const listed = new Set(
  table
    .split('\n')
    .filter(line => line.startsWith('| '))
    .flatMap(line => [...line.split('|')[2]!.matchAll(/`([^`]+)`/g)].map(([, key]) => key!)),
)

/** What the store says of its keys. */
const keyspace = readFileSync(new URL('../../src/store/keyspace.ts', import.meta.url), 'utf8')
const documented = new Set([...keyspace.matchAll(/^ \* {3}([a-z]+(?:\/(?=[<-]))?)/gm)].map(([, key]) => key!))

describe('the table of state', () => {
  it('has a row for every key that the store knows', () => {
    expect([...listed].sort()).toEqual([...documented].sort())
    expect(documented.size).toBeGreaterThan(12)
  })

  it('knows everything that an engine of which all is asked has stored', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store, analytics: { mode: 'full' } })
    const products = await engine.datasets.create('products', { interpretedFields: ['title'] })
    await products.tags.create({ id: 'lamps', name: 'Lamps' })
    await products.tags.create({ id: 'pans', name: 'Pans' })
    await products.documents.bulk(
      Array.from({ length: 400 }, (_, i) => ({
        id: `p${i}`,
        title: i % 2 ? `Desk lamp ${i % 9}` : `Frying pan ${i % 7}`,
        tag: i % 2 ? 'lamps' : 'pans',
      })),
    )
    await products.classifier()
    await products.profile()
    await products.search('lamp')
    await engine.namespace('notes').put('a', 1)
    const service = await engine.services.create({ type: 'search', name: 'Search' })
    await service.prepare({ dataset: 'products' })
    await engine.close()
    const rooms = new Set((await keysOf(store)).map(key => splitKey(key).room!))
    const named = new Set([...listed].map(key => key.replace('/', '')))
    expect([...rooms].filter(room => !named.has(room))).toEqual([])
    expect(rooms.size).toBeGreaterThan(9)
  })
})
