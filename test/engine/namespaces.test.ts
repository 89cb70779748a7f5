import { describe, expect, it } from 'vitest'
import { collected, openEngine, temporaryFolder } from './engines.ts'

describe('a namespace', () => {
  it('keeps values by key, apart from other namespaces, until they are deleted', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const own = engine.namespace('own')
    await own.put('a', { n: 1 })
    await own.put('b', null)
    await engine.namespace('other').put('a', 'theirs')
    await own.delete('a')
    await own.delete('never there')
    await engine.close()

    const again = await openEngine({ store })
    expect(await again.namespace('own').get('a')).toBeUndefined()
    expect(await collected(again.namespace('own').entries())).toEqual([{ key: 'b', value: null }])
    expect(await again.namespace('other').get('a')).toBe('theirs')
  })

  it('writes and deletes several entries as one, or none of them', async () => {
    const engine = await openEngine()
    const own = engine.namespace('own')
    await own.write([
      { key: 'a', value: 1 },
      { key: 'b', value: 2 },
    ])
    await expect(own.write([{ key: 'a' }, { key: 'b', value: Number.NaN }])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    expect(await own.get('a')).toBe(1)
    await own.write([{ key: 'a' }, { key: 'b', value: 3 }])
    expect(await collected(own.entries())).toEqual([{ key: 'b', value: 3 }])
  })

  it('is listed while it has entries, however many those of the others are', async () => {
    const engine = await openEngine()
    const entries = Array.from({ length: 3000 }, (_, i) => ({ key: `k${i}`, value: i }))
    await engine.namespace('many').write(entries)
    for (const name of ['one', 'one-more', 'One', 'gone']) await engine.namespace(name).put('k', 1)
    await engine.namespace('gone').delete('k')
    await engine.namespace('unused').get('k')
    expect(await engine.namespaces()).toEqual(['One', 'many', 'one', 'one-more'])
    expect(await (await openEngine()).namespaces()).toEqual([])
  })
})
