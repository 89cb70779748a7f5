import fc from 'fast-check'
import type { DatasetProfile, FieldProfile } from 'findling'
import { describe, expect, it } from 'vitest'
import { FieldProfiler } from '../../src/profile/model/field-profiler.ts'
import { hasCheckDigit } from '../../src/profile/model/text-pattern.ts'
import { openEngine } from '../engine/engines.ts'

const fieldOf = ({ fields }: DatasetProfile, name: string): FieldProfile =>
  fields.find(({ field }) => field === name)!

describe('a profile', () => {
  it('counts what a scan counts', async () => {
    const scalar = fc.oneof(
      fc.constantFrom('red', 'blue', 'Red ', 'a@b.example', '2024-05-01', '4006381333931', '<b>x</b>', ''),
      fc.integer({ min: -5, max: 5 }),
      // JSON has no negative zero.
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map(number => number + 0),
      fc.boolean(),
      fc.constant(null),
    )
    const value = fc.oneof(
      { weight: 3, arbitrary: scalar },
      { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }) },
    )
    const documents = fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 }), {
      minLength: 1,
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(documents, async given => {
        const engine = await openEngine()
        const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
        await shop.documents.bulk(given.map((members, i) => ({ ...members, id: `d${i}` })))
        const profile = await shop.profile({ crossTables: [['a', 'b']] })
        expect(profile.documents).toBe(given.length)
        for (const name of ['a', 'b', 'c']) {
          const lists = given.map(document => [document[name as 'a']].flat())
          const found = profile.fields.find(({ field }) => field === name)
          const flat = lists.flat().filter(one => one !== undefined)
          if (flat.length === 0) {
            expect(found).toBeUndefined()
            continue
          }
          const there = flat.filter(one => one !== null)
          const present = lists.filter(list => list.some(one => one !== undefined && one !== null)).length
          expect(found).toMatchObject({
            present,
            missing: given.length - present,
            distinct: { count: new Set(there.map(one => `${typeof one}${one}`)).size, exact: true },
          })
          for (const { value, count } of found!.top.values)
            expect(count).toBe(lists.filter(list => list.includes(value as never)).length)
          const numbers = there.filter(one => typeof one === 'number')
          expect(found!.numbers?.count ?? 0).toBe(numbers.length)
          if (numbers.length > 0) {
            const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length
            expect(found!.numbers!.mean).toBeCloseTo(mean, 5)
            expect([found!.numbers!.min, found!.numbers!.max]).toEqual([
              Math.min(...numbers),
              Math.max(...numbers),
            ])
          }
          const texts = there.filter(one => typeof one === 'string')
          const patterns = Object.values(found!.texts?.patterns ?? {}).reduce((sum, one) => sum + one, 0)
          expect(patterns).toBe(texts.length)
        }
        const pairs = new Map<string, number>()
        for (const { a, b } of given) {
          const told = (one: unknown) =>
            new Set([one].flat().flatMap(v => (v === undefined || v === null ? [] : String(v))))
          for (const x of told(a))
            for (const y of told(b)) pairs.set(`${x}|${y}`, (pairs.get(`${x}|${y}`) ?? 0) + 1)
        }
        expect(profile.crossTables[0]!.exact).toBe(true)
        for (const { values, count } of profile.crossTables[0]!.pairs)
          expect(count).toBe(pairs.get(values.join('|')))
        await engine.close()
      }),
      { numRuns: 40 },
    )
  }, 120_000)

  it('tells what texts look like, in which language they are and which values differ in their spelling only', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['text'] })
    const texts = [
      'Der Stuhl ist für den Garten und mit der Lehne aus Holz',
      'The chair is for the garden and with a back of wood',
    ]
    await shop.documents.bulk(
      Array.from({ length: 60 }, (_, i) => ({
        id: `d${i}`,
        text: texts[i % 3 === 0 ? 0 : 1]!,
        ean: i === 7 ? '4006381333930' : '4006381333931',
        price: `${i},50 €`,
        brand: ['Bosch', 'BOSCH ', 'bosch', 'Makita'][i % 4]!,
        mail: `a${i}@shop.example`,
        page: `https://shop.example/${i}`,
        released: `2024-0${1 + (i % 3)}-15`,
        html: '<p>Gr&ouml;&szlig;e</p>',
        blank: '  ',
      })),
    )
    const profile = await shop.profile()
    expect(fieldOf(profile, 'text').texts).toMatchObject({
      patterns: { words: 60 },
      languages: { english: 40, german: 20 },
    })
    expect(fieldOf(profile, 'ean').texts).toMatchObject({
      patterns: { ean: 60 },
      wrongCheckDigits: { count: 1, examples: ['4006381333930'] },
    })
    expect(fieldOf(profile, 'price').texts!.patterns).toEqual({ price: 60 })
    expect(fieldOf(profile, 'brand').texts!.variants).toEqual([
      { values: ['BOSCH ', 'Bosch', 'bosch'].map(value => ({ value, count: 15 })) },
    ])
    expect(fieldOf(profile, 'mail').texts!.patterns).toEqual({ email: 60 })
    expect(fieldOf(profile, 'page').texts!.patterns).toEqual({ url: 60 })
    expect(fieldOf(profile, 'released').texts!.months).toEqual({
      '2024-01': 20,
      '2024-02': 20,
      '2024-03': 20,
    })
    expect(fieldOf(profile, 'html').texts!.patterns).toEqual({ markup: 60 })
    expect(fieldOf(profile, 'blank').texts!.patterns).toEqual({ blank: 60 })
  })

  it('counts vectors, and none of their numbers', async () => {
    const engine = await openEngine()
    const vectors = { 'image.look': { dimensions: 3 }, meaning: { dimensions: 2 } }
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'], vectors })
    const documents = Array.from({ length: 90 }, (_, i) => ({
      id: `d${i}`,
      title: `lamp number ${i}`,
      tag: 'lamps',
      // The number 900 would be an outlier, and unusual for the tag.
      image: { look: [1, 2 + (i % 3), i === 8 ? 900 : 3], size: 5 + (i % 3) },
      ...(i % 3 > 0 && { meaning: i % 3 === 1 ? [i, 1] : null }),
    }))
    await shop.documents.bulk(documents)
    const profile = await shop.profile({ crossTables: [['image.look', 'title']] })
    const nothing = { distinct: { count: 0, exact: true }, top: { values: [], exact: true } }
    expect(fieldOf(profile, 'image.look')).toEqual({
      ...nothing,
      ...{ field: 'image.look', present: 90, missing: 0, lists: 90, types: { vector: 90 } },
    })
    expect(fieldOf(profile, 'meaning')).toEqual({
      ...nothing,
      ...{ field: 'meaning', present: 30, missing: 60, lists: 30, types: { null: 30, vector: 30 } },
    })
    expect(fieldOf(profile, 'image.size').numbers).toMatchObject({ count: 90, min: 5, max: 7 })
    expect([profile.unusual, profile.mistakes, profile.crossTables[0]!.pairs]).toEqual([[], [], []])
    const { current } = (await shop.latestProfile())!
    expect(current!.fields.map(({ field }) => field)).toEqual(['title', 'tag', 'image.size'])
  })

  it('tells what stands in place of vectors', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk([
      { id: 'a', title: 'lamp', look: [1, 2, 3] },
      { id: 'b', title: 'sofa', look: [1, 2, 3, 4] },
      { id: 'c', title: 'desk', look: ['red', 'blue'] },
    ])
    await shop.reconfigure({ vectors: { look: { dimensions: 3 } } })
    const profile = await shop.profile()
    expect(fieldOf(profile, 'look')).toMatchObject({ lists: 3, types: { vector: 1, number: 4, text: 2 } })
  })

  it('tells the language of what a text with markup shows', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['text'] })
    const text = '<p>Der Tisch in <b>Eiche</b> und Ma&szlig;e in cm, Gr&ouml;&szlig;e in m</p>'
    await shop.documents.insert({ id: 1, text })
    expect(fieldOf(await shop.profile(), 'text').texts!.languages).toEqual({ german: 1 })
  })

  it('estimates no more different values than there are', () => {
    for (let field = 0; field < 8; field++) {
      const profiler = new FieldProfiler('code', 0)
      for (let i = 0; i < 9_000; i++) profiler.add([`${field}-${i}`], false, `d${i}`)
      expect(profiler.resultOf(9_000).distinct.count).toBeLessThanOrEqual(9_000)
    }
  })

  it('estimates how many values there are where they are many, and keeps the most frequent', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    const documents = Array.from({ length: 30_000 }, (_, i) => ({
      id: `d${i}`,
      code: i % 3 === 0 ? `often${i % 60}` : `once${i}`,
      size: i,
    }))
    await shop.documents.bulk(documents)
    const profile = await shop.profile()
    const { distinct, top } = fieldOf(profile, 'code')
    expect(distinct.exact).toBe(false)
    expect(Math.abs(distinct.count - 20_020)).toBeLessThan(0.06 * 20_020)
    expect(top.exact).toBe(false)
    expect(new Set(top.values.map(({ value }) => value))).toEqual(
      new Set(Array.from({ length: 20 }, (_, i) => `often${i * 3}`)),
    )
    for (const { count } of top.values) {
      expect(count).toBeLessThanOrEqual(500)
      expect(count).toBeGreaterThan(450)
    }
    const { quantiles, standardDeviation, mean } = fieldOf(profile, 'size').numbers!
    expect(mean).toBeCloseTo(14_999.5)
    expect(standardDeviation).toBeCloseTo(Math.sqrt((30_000 * 30_001) / 12), 4)
    for (const [name, share] of [
      ['p5', 0.05],
      ['p50', 0.5],
      ['p95', 0.95],
    ] as const)
      expect(Math.abs(quantiles[name] - share * 30_000)).toBeLessThan(0.03 * 30_000)
  }, 60_000)

  it('counts documents of tags and those below, and names what is unknown, unused and unusual', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'], tagField: 'tag' })
    await shop.tags.replaceAll([
      { id: 'tools', name: 'Tools' },
      { id: 'drills', name: 'Drills', parentId: 'tools' },
      { id: 'saws', name: 'Saws', parentId: 'tools' },
      { id: 'empty', name: 'Nothing' },
    ])
    const documents = Array.from({ length: 100 }, (_, i) => ({
      id: `d${i}`,
      tag: i < 50 ? ['drills'] : i < 90 ? ['saws', 'drills'] : i < 95 ? ['gone'] : [],
      price: i === 13 ? 1999 : 10 + (i % 20),
    }))
    await shop.documents.bulk(documents)
    const { tags, unusual } = await shop.profile()
    expect(tags).toMatchObject({
      tagged: 90,
      untagged: 10,
      several: 40,
      unused: ['empty'],
      unknown: [{ value: 'gone', count: 5 }],
    })
    expect(tags.used.map(({ id, documents, documentsBelow }) => [id, documents, documentsBelow])).toEqual([
      ['drills', 90, 90],
      ['tools', 0, 90],
      ['saws', 40, 40],
    ])
    expect(unusual).toEqual([
      {
        id: 'd13',
        tagId: 'drills',
        field: 'price',
        value: 1999,
        usual: [expect.any(Number), expect.any(Number)],
      },
    ])
    expect(unusual[0]!.usual[0]).toBeGreaterThan(10)
    expect(unusual[0]!.usual[1]).toBeLessThan(30)
  })

  it('can be cancelled, says how far it is, and is kept with its job', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk(Array.from({ length: 5_000 }, (_, i) => ({ id: `d${i}`, title: 'lamp' })))
    const steps: number[] = []
    const job = shop.profile({ onProgress: ({ percent }) => steps.push(percent) })
    const profile = await job
    expect(steps.at(-1)).toBe(100)
    expect(job.state.result).toEqual(profile)
    const cancelled = shop.profile()
    cancelled.cancel()
    await expect(cancelled.finished).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect((async () => await shop.profile({ crossTables: [['a']] as never }))()).rejects.toMatchObject(
      {
        code: 'INVALID_ARGUMENT',
      },
    )
  })

  it('of hostile documents takes a bounded part', async () => {
    const engine = await openEngine({ documentLimits: { values: 200_000 } })
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    let deep: object = { x: 1 }
    for (let i = 0; i < 80; i++) deep = { a: deep }
    await shop.documents.bulk([
      { id: 'a', ...JSON.parse('{"__proto__": {"x": 1}, "constructor": "c", "": 3}') },
      { id: 'b', deep },
      { id: 'c', list: Array.from({ length: 50_000 }, (_, i) => i) },
      { id: 'd', ...Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, i])) },
      { id: 'e', title: `${'a '.repeat(500_000)}<`, spaces: ' '.repeat(1_000_000) },
      { id: 'f', title: '\ud800', tiny: -5e-324, huge: 1.7e308 },
    ] as never)
    const profile = await shop.profile({ crossTables: [['__proto__.x', 'constructor']] })
    expect(profile.fields).toHaveLength(500)
    expect(profile.fieldsCut).toBe(true)
    expect(fieldOf(profile, '__proto__.x').present).toBe(1)
    expect(fieldOf(profile, 'list').numbers!.count).toBe(19_999)
    expect(profile.crossTables[0]!.pairs).toEqual([{ values: ['1', 'c'], count: 1 }])
  }, 60_000)

  it('tells numbers of numbers that are nearly too large, and few of very many spellings', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    const spelt = (i: number) =>
      Array.from('abcdefgh', (c, bit) => ((i >> bit) & 1 ? c.toUpperCase() : c)).join('')
    await shop.documents.bulk(
      Array.from({ length: 200 }, (_, i) => ({
        id: `d${i}`,
        huge: i % 2 ? 1.7e308 : -1.7e308,
        name: spelt(i),
      })),
    )
    const profile = await shop.profile()
    const { mean, standardDeviation, quantiles } = fieldOf(profile, 'huge').numbers!
    for (const number of [mean, standardDeviation, ...Object.values(quantiles)])
      expect(Number.isFinite(number)).toBe(true)
    expect(Math.abs(mean)).toBeLessThan(1e306)
    expect(fieldOf(profile, 'name').texts!.variants).toEqual([{ values: expect.any(Array) }])
    expect(fieldOf(profile, 'name').texts!.variants[0]!.values).toHaveLength(10)
  })

  it('has quantiles between the least and the greatest number, however close these are', () => {
    for (let number = 1; number < 1e9; number *= 1.07) {
      const prices = new FieldProfiler('price', 0)
      const next = number * (1 + Number.EPSILON)
      for (const [i, price] of [number, next].entries()) prices.add([price], false, `d${i}`)
      const quantiles = Object.values(prices.resultOf(2).numbers!.quantiles) as number[]
      expect(quantiles.filter(one => one < number || one > next)).toEqual([])
    }
  })

  it('has quantiles of equal numbers that are these numbers', () => {
    const prices = new FieldProfiler('price', 0)
    for (let count = 1; count <= 40; count++) {
      prices.add([9.99], false, `d${count}`)
      const { numbers } = prices.resultOf(count)
      expect(new Set(Object.values(numbers!.quantiles))).toEqual(new Set([9.99]))
    }
  })

  it('knows the check digits of article numbers', () => {
    for (const digits of ['4006381333931', '96385074', '036000291452', '10614141000415']) {
      expect(hasCheckDigit(digits)).toBe(true)
      for (let digit = 0; digit < 10; digit++)
        expect(hasCheckDigit(digits.slice(0, -1) + digit)).toBe(String(digit) === digits.at(-1))
    }
  })
})
