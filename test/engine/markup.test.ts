import { Engine } from 'findling'
import { describe, expect, it } from 'vitest'

const texts = {
  interpretedFields: ['title', 'desc'],
  language: 'german' as const,
}

const documents = [
  {
    id: 'chair',
    title: 'Stuhl &amp; Tisch',
    desc: '<ul><li>Gr&ouml;&szlig;e: 40 cm</li><li>wei&szlig;</li></ul>',
  },
  { id: 'lamp', title: 'Lampe', desc: '5 < 10 Watt', note: '<p>Sch&ouml;ne Notiz</p>' },
]

async function shopOf(engine: Engine, settings: object = {}) {
  const shop = await engine.datasets.create('shop', { ...texts, ...settings })
  await shop.documents.bulk(documents)
  return shop
}

describe('texts with markup', () => {
  it('are searched as what they show', async () => {
    const engine = await Engine.open()
    const shop = await shopOf(engine)
    const ids = async (query: string) => (await shop.search(query)).hits.map(({ id }) => id)
    expect(await ids('li')).toEqual([])
    expect(await ids('ouml')).toEqual([])
    expect(await ids('größe')).toEqual(['chair'])
    expect(await ids('10')).toEqual(['lamp'])
    await engine.close()
  })

  it('are highlighted and completed as what they show, and stored as they are', async () => {
    const engine = await Engine.open()
    const shop = await shopOf(engine)
    const [hit] = (await shop.search('größe', { highlight: { marks: ['[', ']'] } })).hits
    expect(hit!.highlights).toMatchObject({ desc: [{ html: '[Größe]: 40 cm\nweiß' }] })
    expect(hit!.document).toEqual(documents[0])
    expect(await shop.complete('stuhl')).toMatchObject([{ text: 'Stuhl & Tisch' }])
    await engine.close()
  })

  it.each([true, false])('fit conditions in words as they are searched: markup %s', async markup => {
    const engine = await Engine.open()
    const shop = await shopOf(engine, { markup })
    for (const [filter, ids] of [
      ['desc:größe', markup ? ['chair'] : []],
      ['desc:li', markup ? [] : ['chair']],
      ['note:schöne', markup ? ['lamp'] : []],
      ['note:p', markup ? [] : ['lamp']],
    ] as const) {
      const { hits } = await shop.filter(filter)
      expect(
        hits.map(({ id }) => id),
        filter,
      ).toEqual(ids)
    }
    await engine.close()
  })

  it('are read as they are where the settings say so, also from then on', async () => {
    const engine = await Engine.open()
    const shop = await shopOf(engine)
    await shop.reconfigure({ markup: false })
    const ids = async (query: string) => (await shop.search(query)).hits.map(({ id }) => id)
    expect(await ids('li')).toEqual(['chair'])
    expect(await ids('größe')).toEqual([])
    await shop.reconfigure({ markup: true })
    expect(await ids('größe')).toEqual(['chair'])
    await engine.close()
  })

  it('are alike if they show the same', async () => {
    const engine = await Engine.open()
    const shop = await engine.datasets.create('shop', texts)
    await shop.documents.bulk([
      { id: 'plain', title: 'Gartenstuhl Größe 40', desc: 'Eiche geölt' },
      { id: 'marked', title: '<b>Gartenstuhl</b> Gr&ouml;&szlig;e 40', desc: '<p>Eiche</p> ge&ouml;lt' },
      { id: 'other', title: 'Lampe', desc: 'Messing' },
    ])
    const [first] = await shop.similar({ id: 'plain' })
    expect(first).toMatchObject({ id: 'marked' })
    expect(first!.score).toBeGreaterThan(0.99)
    await engine.close()
  })
})
