import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { mistakesCsv } from 'findling'
import { describe, expect, it } from 'vitest'
import { memoryDatabase, openEngine } from '../engine/engines.ts'

const words = {
  lamps: ['lamp', 'bulb', 'shade', 'dimmer', 'glow', 'socket'],
  hoses: ['hose', 'nozzle', 'water', 'reel', 'sprinkler', 'garden'],
  shoes: ['shoe', 'sole', 'lace', 'leather', 'heel', 'boot'],
}
type Tag = keyof typeof words
const names = Object.keys(words) as Tag[]

/** Titles of four words of their tag, each of them another. */
function titleOf(tag: Tag, number: number): string {
  const own = words[tag]
  const picked = [0, 1, 2, 3].map(i => own[(number * (i + 1) + i * i) % own.length])
  return `${picked.join(' ')} no${number}`
}

describe('the mistakes of a profile', () => {
  it('are tags that a classifier contradicts, even where a searched field repeats the wrong tag', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'category'] })
    const documents = Array.from({ length: 240 }, (_, i) => {
      const right = names[i % 3]!
      const tag = i === 60 ? 'shoes' : i === 121 ? 'lamps' : right
      return { id: `d${i}`, title: titleOf(right, i), tag, category: `All about ${tag}` }
    })
    await shop.documents.bulk(documents)
    const profile = await shop.profile()
    expect(profile.tellingFields).toEqual(['category'])
    expect(profile.judged).toBe(240)
    const doubtful = profile.mistakes.filter(({ kind }) => kind === 'doubtful-tag')
    expect(doubtful.map(({ ids, tagIds }) => [...ids, ...tagIds]).sort()).toEqual([
      ['d121', 'lamps', 'hoses'],
      ['d60', 'shoes', 'lamps'],
    ])
    for (const { reason, evidence } of doubtful) {
      expect(reason).toContain('not counting category')
      expect(evidence.likelierScore).toBeGreaterThanOrEqual(0.8)
      expect(evidence.score).toBeLessThan(evidence.likelierScore!)
    }
    const unjudged = await shop.profile({ judged: 0 })
    expect(unjudged).toMatchObject({ judged: 0, mistakes: [] })
    const some = await shop.profile({ judged: 100 })
    expect(some.judged).toBe(100)
  }, 60_000)

  it('takes no field for one that tells the tag where the tag says no more than the most frequent one', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'brand'] })
    const documents = Array.from({ length: 200 }, (_, i) => ({
      id: `d${i}`,
      title: titleOf('lamps', i),
      brand: ['Lux', 'Sol', 'Helio'][i % 3]!,
      tag: i % 20 === 0 ? 'hoses' : 'lamps',
    }))
    await shop.documents.bulk(documents)
    expect((await shop.profile({ judged: 0 })).tellingFields).toEqual([])
  })

  it('are documents with the same words, as a comparison of sorted words finds them', async () => {
    const word = fc.constantFrom('Red', 'red', 'LAMP', 'lamp', 'Größe', 'grosse', 'straße', 'x1')
    const document = fc.record({
      title: fc.array(word, { maxLength: 5 }).map(list => list.join(' - ')),
      tag: fc.subarray(['a', 'b']),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 30 }), async given => {
        const engine = await openEngine()
        const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
        await shop.documents.bulk(given.map((one, i) => ({ ...one, id: `d${String(i).padStart(2, '0')}` })))
        const { duplicates, mistakes } = await shop.profile({ judged: 0 })
        const groups = new Map<string, { ids: string[]; tags: Set<string> }>()
        for (const [i, { title, tag }] of given.entries()) {
          const list = title
            .toLowerCase()
            .replaceAll('ß', 'ss')
            .replaceAll('ö', 'o')
            .split(' - ')
            .filter(one => one !== '')
          if (list.length < 3) continue
          const key = list.sort().join(' ')
          const group = groups.get(key) ?? { ids: [], tags: new Set() }
          group.ids.push(`d${String(i).padStart(2, '0')}`)
          group.tags.add([...tag].sort().join())
          groups.set(key, group)
        }
        const several = [...groups.values()].filter(({ ids }) => ids.length > 1)
        expect(duplicates).toEqual({
          groups: several.length,
          acrossTags: several.filter(({ tags }) => tags.size > 1).length,
          exact: true,
        })
        const told = (kind: string) =>
          mistakes.filter(one => one.kind === kind).map(({ ids }) => ids.slice(0, 20).join())
        const ofKind = (isAcross: boolean) =>
          several.filter(({ tags }) => tags.size > 1 === isAcross).map(({ ids }) => ids.slice(0, 20).join())
        expect(told('duplicate-across-tags').sort()).toEqual(ofKind(true).sort())
        expect(told('duplicate').sort()).toEqual(ofKind(false).sort())
        await engine.close()
      }),
      { numRuns: 40 },
    )
  }, 120_000)

  it('say why a number is unusual, with the numbers behind it', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk(
      Array.from({ length: 60 }, (_, i) => ({ id: `d${i}`, tag: 'drills', price: i === 7 ? 1999 : 60 + i })),
    )
    const { mistakes, unusual } = await shop.profile()
    expect(mistakes).toEqual([
      {
        kind: 'unusual-number',
        ids: ['d7'],
        tagIds: ['drills'],
        field: 'price',
        reason: expect.stringMatching(/^price is 1999; half of the documents tagged drills have \d/),
        evidence: { value: 1999, from: unusual[0]!.usual[0], to: unusual[0]!.usual[1] },
      },
    ])
  })

  it('come with the words of each tag and of those below it', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'] })
    await shop.tags.replaceAll([
      { id: 'tools', name: 'Tools' },
      { id: 'drills', name: 'Drills', parentId: 'tools' },
      { id: 'saws', name: 'Saws', parentId: 'tools' },
    ])
    await shop.documents.bulk([
      { id: '1', title: 'Cordless drill, 18 V', desc: 'Très léger!', tag: ['drills', 'saws'] },
      { id: '2', title: 'Saw', tag: 'saws' },
      { id: '3', title: 'Tool box', tag: 'tools' },
      { id: '4', title: 'Nothing of this', tag: [] },
    ])
    const { used } = (await shop.profile()).tags
    expect(used.map(({ id, words, wordsBelow }) => [id, words, wordsBelow])).toEqual([
      ['tools', 2, 9],
      ['saws', 7, 7],
      ['drills', 6, 6],
    ])
  })
})

describe('the latest profile', () => {
  it('is kept across a restart, and moves and goes with the dataset', async () => {
    const store = memoryDatabase()
    const first = await openEngine({ store })
    const shop = await first.datasets.create('shop', { interpretedFields: ['title'] })
    await first.datasets.create('other', { interpretedFields: ['title'] })
    await shop.documents.bulk([{ id: 'a', title: 'Lamp' }])
    expect(await shop.latestProfile()).toBeUndefined()
    const profile = await shop.profile()
    expect(await shop.latestProfile()).toMatchObject(profile)
    await shop.documents.insert({ id: 'b', title: 'Hose' })
    const changed: string[] = []
    for await (const { id } of shop.documents.changes({ since: profile.seq })) changed.push(id)
    expect(changed).toEqual(['b'])
    expect(await shop.latestProfile()).toMatchObject(profile)
    await first.close()

    const engine = await openEngine({ store })
    expect(await engine.datasets.get('shop').latestProfile()).toMatchObject(profile)
    await engine.datasets.swap('shop', 'other')
    expect(await engine.datasets.get('shop').latestProfile()).toBeUndefined()
    expect(await engine.datasets.get('other').latestProfile()).toMatchObject({ ...profile, dataset: 'other' })
    await engine.datasets.rename('other', 'third')
    expect(await engine.datasets.get('third').latestProfile()).toMatchObject({ ...profile, dataset: 'third' })
    expect(await engine.doctor()).toMatchObject({ ok: true, faults: [] })
    await engine.datasets.remove('third')
    await engine.datasets.create('third', { interpretedFields: ['title'] })
    expect(await engine.datasets.get('third').latestProfile()).toBeUndefined()
  })

  it('is that of the last job that was finished, not of one that was cancelled', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk([{ id: 'a', title: 'Lamp' }])
    const profile = await shop.profile()
    await shop.documents.insert({ id: 'b', title: 'Hose' })
    const cancelled = shop.profile()
    cancelled.cancel()
    await cancelled.ended
    expect(await shop.latestProfile()).toMatchObject(profile)
    const next = await shop.profile()
    expect(next.documents).toBe(2)
    expect(await shop.latestProfile()).toMatchObject(next)
  })
})

describe('mistakes as CSV', () => {
  it('are rows of the same columns that a reader of CSV gives back', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk([
      ...Array.from({ length: 60 }, (_, i) => ({
        id: `d${i}`,
        title: '',
        tag: 'drills',
        price: i === 7 ? 1999 : 60 + i,
      })),
      { id: 'quoted "a", b', title: 'one two three', tag: 'lamps' },
      { id: 'line\nbreak', title: 'three two one', tag: ['hoses', 'x|y'] },
    ])
    const { mistakes } = await shop.profile({ judged: 0 })
    const rows: Record<string, string>[] = parse(mistakesCsv(mistakes), {
      columns: true,
      recordDelimiter: '\r\n',
    })
    expect(rows).toHaveLength(2)
    const [duplicate, unusual] = rows
    expect(duplicate).toMatchObject({
      kind: 'duplicate-across-tags',
      field: '',
      reason: mistakes[0]!.reason,
      documents: '2',
      words: '3',
      value: '',
    })
    expect(duplicate!.ids).toBe('line\nbreak|quoted "a", b')
    expect(unusual).toMatchObject({ kind: 'unusual-number', ids: 'd7', field: 'price', value: '1999' })
    expect(Number(unusual!.from)).toBe(mistakes[1]!.evidence.from)
    const header = mistakesCsv([])
    expect(header.split('\r\n')).toEqual([Object.keys(duplicate!).join(','), ''])
    expect(() => mistakesCsv([{ kind: 1 }] as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })
})
