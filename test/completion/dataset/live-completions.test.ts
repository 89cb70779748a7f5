import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { completionOptions } from '../../../src/completion/options.ts'
import { parseSettings } from '../../../src/datasets/schema/dataset-settings.ts'
import { parseInput } from '../../../src/input.ts'
import { FIRST_DATASET } from '../../../src/store/dataset-number.ts'
import { documentKey, documentPrefix } from '../../../src/store/keyspace.ts'
import { codeOf, memoryDatabase, temporaryFolder, waitingDatabase } from '../../engine/engines.ts'
import { leastLongestTurn } from '../../longest-turn.ts'
import { naiveCompletions } from '../model/naive-completions.ts'
import { openShop } from '../shop.ts'

/** A database of which the reading of documents can be held up. */
function databaseWithGate() {
  let open = () => {}
  let gate: Promise<void> = Promise.resolve()
  const prefix = documentPrefix(FIRST_DATASET)
  const database = waitingDatabase({ read: async from => (from.startsWith(prefix) ? await gate : undefined) })
  const shut = () => {
    gate = new Promise(resolve => {
      open = resolve
    })
  }
  return { database, shut, open: () => open() }
}

describe('completion of titles', () => {
  it('knows what was written before and after it was asked for the first time', async () => {
    const { documents, texts } = await openShop()
    await documents.insert({ id: 1, title: 'Table lamp' })
    expect(await texts('la')).toEqual(['Table lamp'])
    await documents.insert({ id: 2, title: 'Lace' })
    await documents.upsert({ id: 1, title: 'Lava lamp' })
    expect(await texts('la')).toEqual(['Lace', 'Lava lamp'])
    await documents.delete(2)
    expect(await texts('la')).toEqual(['Lava lamp'])
  })

  it('reads the documents of a folder that is opened again', async () => {
    const folder = await temporaryFolder()
    const before = await openShop(folder)
    const rows = Array.from({ length: 3000 }, (_, i) => ({ id: i, title: `Lamp ${i}` }))
    await before.documents.bulk(rows)
    await before.store.close()
    const { documents, texts } = await openShop(folder)
    await documents.delete(2999)
    expect(await texts('lamp 299', 20)).toEqual([
      'Lamp 299',
      ...Array.from({ length: 9 }, (_, i) => `Lamp 299${i}`),
    ])
  })

  it('lets near copies crowd out nothing else, however many there are', async () => {
    const { documents, texts } = await openShop()
    const copies = Array.from({ length: 120 }, (_, i) => ({ id: `c${i}`, title: `Lava lamp ${i}` }))
    await documents.bulk([
      ...copies,
      { id: 1, title: 'Lantern of brass, large' },
      { id: 2, title: 'Lace curtain, white' },
    ])
    expect(await texts('la', 3)).toEqual(['Lava lamp', 'Lace curtain, white', 'Lantern of brass, large'])
  })

  it('does not lose what is written while it reads, nor put older text in its place', async () => {
    const { database, shut, open } = databaseWithGate()
    const { documents, completions, texts } = await openShop(database)
    await documents.bulk([
      { id: 1, title: 'Lamp one' },
      { id: 2, title: 'Lamp two' },
      { id: 3, title: 'Lamp three' },
    ])
    shut()
    const asked = texts('la')
    await documents.upsert({ id: 1, title: 'Lantern' })
    await documents.delete(2)
    await documents.insert({ id: 4, title: 'Lava' })
    open()
    expect(await asked).toEqual(['Lava', 'Lantern', 'Lamp three'])
    expect(await texts('la')).toEqual(['Lava', 'Lantern', 'Lamp three'])
    expect(completions.bytes).toBeGreaterThan(0)
  })

  it('answers many who ask at once', async () => {
    const { documents, texts } = await openShop()
    await documents.insert({ id: 1, title: 'Lamp' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => texts('la')))
    expect(answers).toEqual(Array.from({ length: 20 }, () => ['Lamp']))
  })

  it('takes the first interpreted field, and of a list its first text', async () => {
    const { documents, texts } = await openShop()
    await documents.bulk([
      { id: 1, title: ['Lamp', 'Lantern'], desc: 'lard' },
      { id: 2, desc: 'large' },
      { id: 3, title: [] },
      { id: 4, title: 42 },
    ])
    expect(await texts('la')).toEqual(['Lamp'])
    expect(await texts('4')).toEqual(['42'])
  })

  it('follows a change of that field', async () => {
    const { documents, state, texts } = await openShop()
    await documents.insert({ id: 1, title: 'Lamp', desc: 'Bright light' })
    expect(await texts('la')).toEqual(['Lamp'])
    const change = (interpretedFields: string[]) =>
      state.apply({
        findsFields: false,
        settings: parseSettings({ interpretedFields }),
        schema: state.schema,
      })
    change(['desc', 'title'])
    expect([await texts('la'), await texts('bri')]).toEqual([[], ['Bright light']])
    await documents.insert({ id: 2, title: 'Lamp', desc: 'Brick' })
    expect(await texts('bri')).toEqual(['Brick', 'Bright light'])
    change([])
    expect(await texts('bri')).toEqual([])
  })

  it('leaves out a document that cannot be read', async () => {
    const database = memoryDatabase()
    const { documents, state, texts } = await openShop(database)
    await documents.insert({ id: 1, title: 'Lamp' })
    await documents.insert({ id: 2, title: 'Lava' })
    await database.put(documentKey(state.dataset, '1'), Buffer.from('rubbish'))
    expect(await texts('la')).toEqual(['Lava'])
  })

  it('reads anew after reading has failed', async () => {
    let fails = true
    const database = waitingDatabase({
      read: async from => {
        if (fails && from.startsWith(documentPrefix(FIRST_DATASET))) throw new Error('no')
      },
    })
    const { documents, texts } = await openShop(database)
    await documents.insert({ id: 1, title: 'Lamp' })
    expect(await codeOf(() => texts('la'))).toBe('STORE_FAILED')
    await documents.insert({ id: 2, title: 'Lava' })
    fails = false
    expect(await texts('la')).toEqual(['Lamp', 'Lava'])
  })

  it('is refused when the dataset has been removed, and when the store is closed', async () => {
    const { registry, store, texts } = await openShop()
    await registry.remove('shop')
    expect(await codeOf(() => texts('la'))).toBe('DATASET_NOT_FOUND')
    await store.close()
    expect(await codeOf(() => texts('la'))).toBe('CLOSED')
  })

  const write = fc.record({
    id: fc.constantFrom('1', '2', '3', '4'),
    title: fc.option(fc.constantFrom('lamp', 'lamps red', 'red lamp', 'sofa'), { nil: undefined }),
    asks: fc.constantFrom('la', 'red', 'lam re', 'sofaa', ''),
    forgets: fc.boolean(),
  })

  it('agrees with a look at every document after any writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 12 }), async writes => {
        const { documents, completions, complete } = await openShop()
        const titles = new Map<string, string>()
        for (const { id, title, asks, forgets } of writes) {
          if (title === undefined) await documents.delete(id)
          else await documents.upsert({ id, title })
          if (title === undefined) titles.delete(id)
          else titles.set(id, title)
          if (forgets) await completions.close()
          const found = await complete(asks)
          expect(found.map(({ text, count, corrected }) => ({ text, count, corrected }))).toEqual(
            naiveCompletions([...titles.values()], asks, { limit: 10, typoTolerance: 1 }),
          )
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('completion of tags', () => {
  it('tells a tag with its id and what was typed', async () => {
    const { tags, complete } = await openShop()
    await tags.create({ id: 7, name: 'Table lamps' })
    expect(await complete('la')).toEqual([
      { text: 'Table lamps', kind: 'tag', id: '7', ranges: [{ start: 6, end: 8 }], corrected: false },
    ])
  })

  it('gives tags before titles, and half of the places at most where there are titles for the others', async () => {
    const { documents, tags, texts } = await openShop()
    for (const name of ['la1', 'la2', 'la3']) await tags.create({ id: name, name })
    await documents.bulk(['La one', 'La two', 'La six'].map((title, id) => ({ id, title })))
    expect(await texts('la', 4)).toEqual(['la1', 'la2', 'La one', 'La six'])
    expect(await texts('la', 1)).toEqual(['la1'])
    await documents.bulk([
      { id: 0, title: 'x' },
      { id: 1, title: 'x' },
    ])
    expect(await texts('la', 4)).toEqual(['la1', 'la2', 'la3', 'La six'])
  })

  it('corrects typing errors in names, which may have changed since', async () => {
    const { tags, complete } = await openShop()
    const ids = async (text: string) => (await complete(text)).map(({ id, corrected }) => [id, corrected])
    await tags.create({ id: 2, name: 'Lanterns' })
    await tags.create({ id: 1, name: 'Lanterns' })
    await tags.create({ id: 3, name: 'Sofas' })
    expect(await ids('lnate')).toEqual([
      ['1', true],
      ['2', true],
    ])
    await tags.update(1, { name: 'Chairs' })
    await tags.remove(3)
    expect([await ids('lnate'), await ids('chiar'), await ids('sfoa')]).toEqual([
      [['2', true]],
      [['1', true]],
      [],
    ])
  })

  it('corrects neither tags nor titles where the others have words as typed', async () => {
    const { documents, tags, texts } = await openShop()
    await tags.create({ id: 1, name: 'Lamps' })
    await documents.insert({ id: 1, title: 'Lambs' })
    expect([await texts('lamb'), await texts('lamp'), await texts('lamx')]).toEqual([
      ['Lambs'],
      ['Lamps'],
      ['Lamps', 'Lambs'],
    ])
  })

  it('is left out where only titles are asked for, and the other way round', async () => {
    const { completions, documents, tags } = await openShop()
    await tags.create({ id: 1, name: 'Lamps' })
    await documents.insert({ id: 1, title: 'Lambs' })
    const of = async (kind: 'title' | 'tag', text: string) =>
      (await completions.complete(text, { limit: 5, kinds: [kind], typoTolerance: 1 })).map(
        ({ text }) => text,
      )
    expect([await of('tag', 'la'), await of('title', 'la')]).toEqual([['Lamps'], ['Lambs']])
    expect([await of('tag', 'lmap'), await of('title', 'lmab')]).toEqual([['Lamps'], ['Lambs']])
  })
})

describe('completion of very many tags', () => {
  it('holds the event loop no longer', async () => {
    const { tags, complete } = await openShop()
    const all = Array.from({ length: 90_000 }, (_, i) => ({ id: `t${i}`, name: `N${i}` }))
    await tags.replaceAll(all)
    await complete('n')
    await complete('m12')
    for (const text of ['n', 'm12']) {
      const turn = await leastLongestTurn(80, () => complete(text))
      expect(turn).toBeLessThan(80)
    }
  }, 60_000)
})

describe('forget', () => {
  it('lets the memory go until somebody asks again', async () => {
    const { completions, documents, texts } = await openShop()
    const empty = completions.bytes
    await documents.bulk(Array.from({ length: 2000 }, (_, i) => ({ id: i, title: `Lamp number ${i}` })))
    expect(completions.bytes).toBe(empty)
    await texts('la')
    expect(completions.bytes).toBeGreaterThan(empty + 100_000)
    await completions.close()
    expect(completions.bytes).toBe(empty)
    expect(await texts('lamp number 1999')).toEqual(['Lamp number 1999'])
  })

  it('does not cut off who is waiting for an answer', async () => {
    const { database, shut, open } = databaseWithGate()
    const { completions, documents, texts } = await openShop(database)
    await documents.insert({ id: 1, title: 'Lamp' })
    shut()
    const asked = texts('la')
    await completions.close()
    await documents.insert({ id: 2, title: 'Lava' })
    open()
    expect(await asked).toContain('Lamp')
    expect(await texts('la')).toEqual(['Lamp', 'Lava'])
  })
})

describe('completion options', () => {
  it('are ten completions of both kinds with one edit where nothing else is said', () => {
    expect(parseInput(completionOptions, {}, 'options')).toEqual({
      limit: 10,
      kinds: ['title', 'tag'],
      typoTolerance: 1,
    })
  })

  it.each([
    { limit: 0 },
    { limit: 101 },
    { limit: 1.5 },
    { kinds: [] },
    { kinds: ['word'] },
    { typoTolerance: 2 },
    { most: 1 },
  ])('are refused where they are not of their form: %j', async options => {
    expect(await codeOf(() => parseInput(completionOptions, options, 'options'))).toBe('INVALID_ARGUMENT')
  })
})
