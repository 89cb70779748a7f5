import { setImmediate as breathe } from 'node:timers/promises'
import type { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, failureOf, memoryDatabase, temporaryFolder } from '../engine/engines.ts'
import { createCounter, openCounting } from './engines.ts'

const aliases = (engine: Engine) => engine.services.list().map(({ name, alias }) => [name, alias])

describe('aliases', () => {
  it.each<[what: string, first: object, second: object, expected: [string | null, string | null]]>([
    ['are taken away by whoever is created with them', { alias: 'x' }, { alias: 'x' }, [null, 'x']],
    ['stay when another is created without one', { alias: 'x' }, {}, ['x', null]],
    ['stay when another is created with none', { alias: 'x' }, { alias: null }, ['x', null]],
    ['are told apart by case', { alias: 'x' }, { alias: 'X' }, ['x', 'X']],
    [
      'may hold blanks and any script',
      { alias: 'My shop' },
      { alias: 'Mein Geschäft 店' },
      ['My shop', 'Mein Geschäft 店'],
    ],
    ['may be __proto__', { alias: '__proto__' }, { alias: 'constructor' }, ['__proto__', 'constructor']],
  ])('%s', async (_, first, second, expected) => {
    const engine = await openCounting()
    await createCounter(engine, { name: 'first', ...first })
    await createCounter(engine, { name: 'second', ...second })
    expect(aliases(engine)).toEqual([
      ['first', expected[0]],
      ['second', expected[1]],
    ])
    for (const { alias, id } of engine.services.list())
      if (alias !== null) expect(engine.services.get(alias).id).toBe(id)
  })

  it('move by a change, and the old one is no name any more', async () => {
    const engine = await openCounting()
    const first = await createCounter(engine, { name: 'first', alias: 'x' })
    const second = await createCounter(engine, { name: 'second', alias: 'y' })
    await second.update({ alias: 'x' })
    expect(aliases(engine)).toEqual([
      ['first', null],
      ['second', 'x'],
    ])
    expect([engine.services.has('y'), engine.services.get('x').id]).toEqual([false, second.id])
    await second.update({ alias: null, description: 'now described' })
    await first.update({ name: 'renamed' })
    expect(aliases(engine)).toEqual([
      ['renamed', null],
      ['second', null],
    ])
    expect(engine.services.has('x')).toBe(false)
    await second.update({ alias: 'x' })
    await second.update({ alias: 'x' })
    expect(engine.services.get('x').info()).toMatchObject({ name: 'second', description: 'now described' })
  })

  it('give way to ids', async () => {
    const engine = await openCounting()
    const first = await createCounter(engine, { name: 'first' })
    const second = await createCounter(engine, { name: 'second', alias: first.id })
    expect(engine.services.get(first.id).info().name).toBe('first')
    await first.remove()
    expect(engine.services.get(first.id).id).toBe(second.id)
  })
})

describe('services', () => {
  it('are listed oldest first, also after a reopen', async () => {
    const db = memoryDatabase()
    const engine = await openCounting({ store: db })
    for (const name of ['b', 'a', 'c']) await createCounter(engine, { name })
    await engine.services.create({ type: 'search', name: 'search' })
    const listed = engine.services.list()
    expect(listed.map(({ name, type }) => `${type} ${name}`)).toEqual([
      'counter b',
      'counter a',
      'counter c',
      'search search',
    ])
    await engine.close()
    await db.open()
    const again = await openCounting({ store: db })
    expect(again.services.list()).toEqual(listed)
  })

  it('are got as what they are', async () => {
    const engine = await openCounting()
    const counter = await createCounter(engine, { alias: 'words' })
    expect(await failureOf(() => engine.services.get('words', 'search'))).toMatchObject({
      code: 'SERVICE_TYPE',
      message: 'The service Words is of the type counter, not "search".',
    })
    expect(await failureOf(() => engine.services.get('wrods'))).toMatchObject({
      code: 'SERVICE_NOT_FOUND',
      message: 'There is no service with the id or alias "wrods".',
    })
    expect(engine.services.get(counter.id).id).toBe(counter.id)
  })

  it.each<[what: string, input: unknown, field: string]>([
    ['no type', { name: 'a' }, 'type'],
    ['an unknown type', { type: 'serach', name: 'a' }, 'type'],
    ['no name', { type: 'search' }, 'name'],
    ['a blank name', { type: 'search', name: ' \n' }, 'name'],
    ['a long name', { type: 'search', name: 'a'.repeat(201) }, 'name'],
    ['an empty alias', { type: 'search', name: 'a', alias: '' }, 'alias'],
    ['an alias that is no text', { type: 'search', name: 'a', alias: 7 }, 'alias'],
    ['half a character', { type: 'search', name: 'a', alias: 'x\uD800' }, 'alias'],
    ['a huge description', { type: 'search', name: 'a', description: 'a'.repeat(10_001) }, 'description'],
    ['an id of more than letters', { type: 'search', name: 'a', id: 'a/b' }, 'id'],
  ])('are not created from %s', async (_, input, field) => {
    const engine = await openCounting()
    expect(await failureOf(() => engine.services.create(input as never))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field },
    })
    expect(engine.services.list()).toEqual([])
  })

  it('are not changed by what is refused, nor when they are gone', async () => {
    const engine = await openCounting()
    const service = await createCounter(engine, { alias: 'words' })
    expect(await codeOf(() => service.update({ name: '' }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(() => service.update({ status: 'active' } as never))).toBe('INVALID_ARGUMENT')
    expect(service.info()).toMatchObject({ name: 'Words', alias: 'words', status: 'new' })
    await service.remove()
    expect(await codeOf(() => service.update({ name: 'a' }))).toBe('SERVICE_NOT_FOUND')
  })
})

describe('the dataset of a service', () => {
  const made = async (title = 'red lamp') => {
    const engine = await openCounting()
    const { documents } = await engine.datasets.create('shop')
    await documents.insert({ id: 1, title })
    return { engine, service: await createCounter(engine) }
  }

  it('cannot be removed from the moment that it is prepared from, until the service is removed', async () => {
    const { engine, service } = await made()
    const preparing = service.prepare({ dataset: 'shop' })
    expect(await failureOf(() => engine.datasets.remove('shop'))).toMatchObject({
      code: 'DATASET_IN_USE',
      message: `The dataset shop is in use by services: Words (${service.id}).`,
      details: { services: [service.id] },
    })
    preparing.cancel()
    await preparing.finished.catch(() => {})
    expect(await codeOf(() => engine.datasets.remove('shop'))).toBe('DATASET_IN_USE')
    await service.remove()
    await engine.datasets.remove('shop')
  })

  it('is followed when it is renamed, also while the service is being prepared', async () => {
    const { engine, service } = await made()
    const preparing = service.prepare({ dataset: 'shop' })
    await engine.datasets.rename('shop', 'store')
    await preparing
    expect(service.info()).toMatchObject({ dataset: 'store', prepareSettings: { dataset: 'store' } })
    await engine.datasets.rename('store', 'shop')
    await service.activate()
    expect([service.info().dataset, await service.count('lamp')]).toEqual(['shop', 1])
    await engine.datasets.create('store')
    await engine.datasets.remove('store')
  })

  it('is there by the name that the service has for it at every moment of a rename', async () => {
    const engine = await openCounting({ store: await temporaryFolder() })
    await engine.datasets.create('shop')
    const service = await createCounter(engine)
    await service.prepare({ dataset: 'shop' })
    let isOver = false
    const renaming = engine.datasets.rename('shop', 'store').finally(() => {
      isOver = true
    })
    const lost: string[] = []
    while (!isOver) {
      const name = service.info().dataset!
      if (!engine.datasets.has(name)) lost.push(name)
      await breathe()
    }
    await renaming
    expect(lost).toEqual([])
    expect(service.info().dataset).toBe('store')
  })

  it('is the one that has its name after a swap: the model stays until it is prepared again', async () => {
    const { engine, service } = await made()
    await service.prepare({ dataset: 'shop' })
    await service.activate()
    const next = await engine.datasets.create('next')
    await next.documents.insert({ id: 1, title: 'green chair' })
    await engine.datasets.swap('shop', 'next')
    expect(service.info().dataset).toBe('shop')
    expect([await service.count('lamp'), await service.count('chair')]).toEqual([1, 0])
    await engine.datasets.remove('next')
    await service.prepare({ dataset: 'shop', again: true })
    expect([await service.count('lamp'), await service.count('chair')]).toEqual([0, 1])
    expect(await codeOf(() => engine.datasets.remove('shop'))).toBe('DATASET_IN_USE')
  })
})
