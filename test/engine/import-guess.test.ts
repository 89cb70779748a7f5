import type { FieldRoles } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { erpExport, type MadeExport, madeExports } from '../fixtures/exports.ts'
import { collected, openEngine } from './engines.ts'

async function imported({ bytes, format }: Pick<MadeExport, 'bytes' | 'format'>, options = {}) {
  const engine = await openEngine()
  const shop = await engine.datasets.create('shop')
  const report = await shop.documents.import(bytes, { format, guess: true, ...options }).finished
  return { engine, shop, report }
}

const csv = (text: string, options = {}) => imported({ bytes: Buffer.from(text), format: 'csv' }, options)

describe('what fields are for', () => {
  it('is guessed right in 23 of 24, and none told as none', async () => {
    const wrong: string[] = []
    let told = 0
    for (const made of madeExports()) {
      const { report } = await imported(made)
      const found = report.reading.roles!
      for (const role of ['id', 'title', 'price', 'category'] as const) {
        told++
        if (found[role] !== made.roles[role]) wrong.push(`${made.name}: ${role} is ${found[role]}`)
        if (made.roles[role] === null) expect([made.name, role, found[role]]).toEqual([made.name, role, null])
      }
      expect(report.stored).toBeGreaterThan(made.rows * 0.98)
    }
    expect(told).toBe(24)
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(1)
  }, 120_000)

  it('is told, with numbers for ids where no field has them', async () => {
    const { shop, report } = await csv('title,price\nOak table,9.50\nBrass lamp,12.00\n')
    expect(report.reading.roles).toMatchObject({ id: null, title: 'title', price: 'price', category: null })
    expect(report.reading.doubts).toMatchObject([{ column: 'id', line: 2, count: 2 }])
    expect((await collected(shop.documents.scan())).map(({ document }) => document)).toEqual([
      { id: '2', title: 'Oak table', price: 9.5 },
      { id: '3', title: 'Brass lamp', price: 12 },
    ])
  })

  it('takes what the dataset and the caller say for granted', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { idField: 'nr', tagField: 'group' })
    const text = 'nr,id,Gruppe,n\n1,x,Haus/Garten,"1,50"\n2,y,Haus,2\n'
    const report = await shop.documents.import(Buffer.from(text), {
      format: 'csv',
      guess: true,
      columns: { n: 'n:text' },
      tagPath: { field: 'Gruppe', separator: '/' },
    }).finished
    expect(report.reading.roles?.id).toBe('nr')
    expect(await shop.documents.get('1')).toEqual({
      nr: '1',
      id: 'x',
      Gruppe: 'Haus/Garten',
      group: 'Haus > Garten',
      n: '1,50',
    })
  })

  it('leaves ids of tags alone', async () => {
    const { shop } = await imported({
      bytes: Buffer.from(JSON.stringify([{ id: 1, title: 'Oak table', tag: ['garden', 'home'] }])),
      format: 'json',
    })
    expect((await shop.documents.get(1))?.tag).toEqual(['garden', 'home'])
    expect(await shop.tags.list()).toEqual([])
  })

  it('keeps codes, numbers of articles and post codes as they are written', async () => {
    const { shop, report } = await csv(
      'id,title,ean,plz,zero,stock,new\n7,Oak table,4006381333931,10115,007,12,ja\n8,Brass lamp,4006381333948,20095,012,,nein\n',
    )
    expect(await shop.documents.get('7')).toEqual({
      id: '7',
      title: 'Oak table',
      ean: '4006381333931',
      plz: '10115',
      zero: '007',
      stock: 12,
      new: true,
    })
    expect(Object.hasOwn((await shop.documents.get('8'))!, 'stock')).toBe(false)
    expect(report.reading.roles).toMatchObject({
      id: 'id',
      code: 'ean',
      stock: 'stock',
    } satisfies Partial<FieldRoles>)
  })

  it('is guessed of hostile rows without harm', async () => {
    const wide = Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(',')
    const cells = Array.from({ length: 10_000 }, (_, i) => i).join(',')
    const { report } = await csv(`id,${wide}\n1,${cells}\n2,${cells}\n`)
    expect(report.stored).toBe(2)
    const { shop } = await csv('id,__proto__,constructor\n1,Oak table,x\n2,Brass lamp,y\n')
    expect(Object.entries((await shop.documents.get('1'))!)).toEqual([
      ['id', '1'],
      ['__proto__', 'Oak table'],
      ['constructor', 'x'],
    ])
    const long = await csv(`id,title\n1,${'x'.repeat(10_000_000)}\n2,${'1.'.repeat(5_000_000)}\n`)
    expect(long.report.stored).toBe(2)
    const huge = JSON.stringify([
      { id: 1, deep: JSON.parse(`${'['.repeat(100)}1${']'.repeat(100)}`), title: '\ud800' },
    ])
    expect((await imported({ bytes: Buffer.from(huge), format: 'json' })).report.stored).toBe(1)
  })
})

describe('the export of an ERP', () => {
  let shop: Awaited<ReturnType<typeof imported>>['shop']
  let report: Awaited<ReturnType<typeof imported>>['report']

  beforeAll(async () => {
    const { Engine } = await import('findling')
    const engine = await Engine.open()
    shop = await engine.datasets.create('shop')
    report = await shop.documents.import(erpExport().bytes, { format: 'csv', guess: true }).finished
    return () => engine.close()
  }, 60_000)

  it('goes in as it is, and the report tells what was found out', async () => {
    const { rows, stored, failed, replaced, tags, reading } = report
    expect({ rows, stored, failed, replaced }).toEqual({
      rows: 12_000,
      stored: 11_880,
      failed: 120,
      replaced: 120,
    })
    expect(tags).toBe(11)
    expect([reading.encoding, reading.delimiter]).toEqual(['windows-1252', ';'])
    expect(reading.columns.map(({ field, type, decimal }) => [field, type, decimal])).toEqual([
      ['Art-Nr', 'text', null],
      ['EAN', 'text', null],
      ['Bezeichnung', 'text', null],
      ['Langtext', 'text', null],
      ['Warengruppe', 'text', null],
      ['Hersteller', 'text', null],
      ['VK-Preis (€)', 'number', ','],
      ['Bestand', 'number', ','],
      ['Angelegt am', 'date', null],
      ['Bild', 'text', null],
    ])
    expect(reading.doubts.every(({ problem }) => problem.includes('spelling of the tag'))).toBe(true)
  })

  it('searches titles first, texts, and codes as they stand; no numbers, dates and addresses', async () => {
    const { interpretedFields, typoTolerance } = shop.settings
    expect(interpretedFields).toEqual(['Bezeichnung', 'EAN', 'Langtext', 'Warengruppe', 'Hersteller'])
    expect(typoTolerance.disableOnFields).toEqual(['EAN'])
    const some = (await shop.documents.get('A-100000'))!
    const ean = String(some.EAN)
    expect((await shop.search(ean)).hits.map(({ id }) => id)).toEqual(['A-100000'])
    const typo = `${ean.slice(0, -1)}${(Number(ean.at(-1)) + 1) % 10}`
    expect((await shop.search(typo)).hits).toEqual([])
    const { total } = await shop.search('Sonnenschirm', {
      filter: { 'VK-Preis (€)': { lt: 500 } },
      total: 'exact',
    })
    expect(total.count).toBeGreaterThan(50)
  })
})

describe('a column of number lists that nobody has declared', () => {
  const numbers = (row: number, count: number) =>
    Array.from({ length: count }, (_, i) => Math.sin(row * count + i))
  const rows = (count: number) =>
    Array.from(
      { length: 60 },
      (_, i) => `${i},Lamp number ${i} of oak,"${JSON.stringify(numbers(i, count))}"`,
    )
  const table = (count: number) => ['id,name,embedding', ...rows(count), ''].join('\n')

  it.each([3, 80])('of %i numbers holds lists, has no role and is not searched', async count => {
    const { shop, report } = await csv(table(count))
    expect(report.reading.columns[2]).toMatchObject({ field: 'embedding', type: 'json' })
    expect(Object.values(report.reading.roles!)).not.toContain('embedding')
    expect((await shop.documents.get('7'))!.embedding).toEqual(numbers(7, count))
    expect(shop.settings.interpretedFields).toEqual(['name'])
    await shop.reconfigure({ vectors: { embedding: { dimensions: count } } })
    const { hits } = await shop.search('', { vector: { value: numbers(7, count), nearest: 1 } })
    expect(hits[0]!.id).toBe('7')
  })

  it.each([3, 80])('of %i numbers stays text without a guess, and is not searched either', async count => {
    const { shop } = await csv(table(count), { guess: false })
    expect((await shop.documents.get('7'))!.embedding).toBe(JSON.stringify(numbers(7, count)))
    expect(shop.settings.interpretedFields).toEqual(['name'])
  })

  it('tells of cells that are none', async () => {
    const { shop, report } = await csv(`${table(3)}x,Odd lamp,"[1, two]"\ny,Dark lamp,\n`)
    expect(report.reading.doubts).toMatchObject([{ column: 'embedding', line: 62, count: 1 }])
    expect((await shop.documents.get('x'))!.embedding).toBe('[1, two]')
    expect(await shop.documents.get('y')).toEqual({ id: 'y', name: 'Dark lamp' })
  })
})
