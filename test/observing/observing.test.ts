import { setImmediate as turn } from 'node:timers/promises'
import { Engine, type Observation, type Observer } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, openEngine } from '../engine/engines.ts'

async function shopWith(observer: Observer) {
  const errors: { details: object; message: string }[] = []
  const logger = {
    warn() {},
    error: (details: object, message: string) => void errors.push({ details, message }),
  }
  const engine = await openEngine({ observer, logger })
  const products = await engine.datasets.create('products')
  await products.documents.bulk(Array.from({ length: 50 }, (_, i) => ({ id: `p${i}`, title: `Lamp ${i}` })))
  await turn()
  errors.length = 0
  return { engine, products, errors }
}

describe('an observer', () => {
  it('is told once whoever asked has the answer', async () => {
    const order: string[] = []
    const { products } = await shopWith(({ type }) => order.push(`told of a ${type}`))
    order.length = 0
    await products.search('lamp')
    order.push('has found')
    await turn()
    await products.documents.upsert({ id: 'p1', title: 'Lamp' })
    order.push('has written')
    await turn()
    expect(order).toEqual(['has found', 'told of a search', 'has written', 'told of a write'])
  })

  it('is told by which vector documents were found, but not its numbers', async () => {
    const vectors: unknown[] = []
    const engine = await openEngine({
      observer: seen => void (seen.type === 'search' && vectors.push(seen.vector)),
    })
    const photos = await engine.datasets.create('photos', { vectors: { look: { dimensions: 2 } } })
    await photos.documents.insert({ id: 'p1', look: [1, 0] })
    await photos.search('', { vector: { value: [0, 1] } })
    await photos.search('', { vector: { like: 'p1' } })
    await photos.search('lamp')
    await engine.close()
    expect(vectors).toEqual([{ field: 'look' }, { field: 'look', like: 'p1' }, undefined])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no room')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no room'))],
  ] satisfies [string, Observer][])(
    'that %s changes no answer, and only the logger is told',
    async (_, observer) => {
      const { products, errors } = await shopWith(observer)
      const { hits } = await products.search('lamp', { limit: 3 })
      expect(hits).toHaveLength(3)
      await turn()
      await turn()
      expect(errors).toEqual([
        { message: 'The observer has failed.', details: { error: expect.any(Error), type: 'search' } },
      ])
      await products.documents.delete('p1')
      expect(products.documents.count).toBe(49)
    },
  )

  it('that fails beside a logger that fails does no harm', async () => {
    const fail = () => {
      throw new Error('no room')
    }
    const engine = await openEngine({ observer: fail, logger: { warn() {}, error: fail } })
    const products = await engine.datasets.create('products')
    await products.documents.insert({ id: '1', title: 'Lamp' })
    expect((await products.search('lamp')).hits).toHaveLength(1)
    await turn()
    await turn()
    expect(products.documents.count).toBe(1)
  })

  it('that never comes to an end is waited for by nobody', async () => {
    const { engine, products } = await shopWith(() => new Promise(() => {}))
    expect((await products.search('lamp')).hits).toHaveLength(10)
    await engine.close()
  })

  it('has been told of everything when the engine is closed', async () => {
    const told: Observation[] = []
    const engine = await Engine.open({ observer: one => told.push(one) })
    const products = await engine.datasets.create('products')
    const answers = [
      products.documents.insert({ id: '1', title: 'Lamp' }),
      products.search('lamp').catch(() => undefined),
    ]
    await Promise.all(answers)
    await engine.close()
    expect(told.map(({ type }) => type).sort()).toEqual(['search', 'write'])
  })

  it('sees what was answered, whatever is done with the answer', async () => {
    const told: Observation[] = []
    const { products } = await shopWith(one => told.push(one))
    told.length = 0
    const answer = await products.search('lamp', { limit: 2 })
    const ids = answer.hits.map(({ id }) => id)
    answer.hits.length = 0
    answer.words.length = 0
    await turn()
    expect(told).toMatchObject([
      { words: [{ word: 'lamp' }], hits: ids.map((id, i) => ({ id, place: i + 1 })) },
    ])
  })

  it('is a function, and what calls say of themselves is checked whether there is one or not', async () => {
    expect(await codeOf(() => Engine.open({ observer: {} as never }))).toBe('INVALID_ARGUMENT')
    const engine = await openEngine()
    const products = await engine.datasets.create('products')
    for (const context of [
      { user: 'u'.repeat(201) },
      { tags: Array(101).fill('t') },
      { users: 'u' },
      'u',
      [],
    ]) {
      const options = { context: context as never }
      expect(await codeOf(() => products.search('lamp', options))).toBe('INVALID_ARGUMENT')
      expect(await codeOf(() => products.filter({}, options))).toBe('INVALID_ARGUMENT')
      expect(await codeOf(() => products.complete('la', options))).toBe('INVALID_ARGUMENT')
      expect(await codeOf(() => products.suggest('la', options))).toBe('INVALID_ARGUMENT')
      expect(await codeOf(() => products.similar('la', options))).toBe('INVALID_ARGUMENT')
      expect(await codeOf(() => products.classify('la', options))).toBe('INVALID_ARGUMENT')
    }
    expect((await products.search('lamp', { context: { user: '__proto__' } })).hits).toEqual([])
  })
})
