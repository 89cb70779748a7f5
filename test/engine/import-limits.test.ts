import type { ImportOptions } from 'findling'
import { describe, expect, it } from 'vitest'
import { leastLongestTurn } from '../longest-turn.ts'
import { openEngine } from './engines.ts'

/** Milliseconds that one turn of the event loop may compute. */
const LONGEST_TURN = 120

const cells = (count: number, cell: (i: number) => string | number) =>
  Array.from({ length: count }, (_, i) => cell(i)).join(',')
const rows = (count: number, row: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => row(i)).join('\n')

const wide = `id,${cells(16_000, i => `c${i}`)}\n${rows(16, n => `${n},${cells(16_000, i => i * n)}`)}\n`
const paths = `id,path\n${rows(25_000, i => `${i},a > b${i} > c`)}\n`
const long = `id,a,b\n1,${'1.'.repeat(2_500_000)},${' '.repeat(5_000_000)}\n2,${'>'.repeat(5_000_000)},${'9'.repeat(5_000_000)}\n`
const dates = `id,d,n\n${rows(20_000, i => `${i},0${1 + (i % 9)}/0${1 + (i % 7)}/2024,1.${100 + (i % 900)}`)}\n`
const members = JSON.stringify(
  Array.from({ length: 3 }, (_, id) => ({
    id,
    ...Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`m${i}`, `${i}`])),
  })),
)

describe('an import of hostile tables', () => {
  it.each<[string, string, ImportOptions]>([
    ['16,000 columns, guessed', wide, { format: 'csv', guess: true }],
    ['as many paths of tags as rows', paths, { format: 'csv', tagPath: 'path' }],
    ['cells of 5 MB, guessed', long, { format: 'csv', guess: true, tagPath: 'a' }],
    [
      'dates and numbers that are doubtful',
      dates,
      { format: 'csv', columns: { d: 'd:date', n: 'n:number' } },
    ],
    ['objects of 50,000 members, guessed', members, { format: 'json', guess: true }],
  ])(
    'holds the event loop no longer: %s',
    async (_, text, options) => {
      const bytes = Buffer.from(text)
      const turn = await leastLongestTurn(LONGEST_TURN, async () => {
        const engine = await openEngine({ documentLimits: { values: 100_000 } })
        const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
        await shop.documents.import(bytes, options).finished.catch(() => undefined)
      })
      expect(turn).toBeLessThan(LONGEST_TURN)
    },
    120_000,
  )

  it('makes no more than 20,000 tags', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    const report = await shop.documents.import(Buffer.from(paths), { format: 'csv', tagPath: 'path' })
      .finished
    expect(report.tags).toBe(20_000)
    expect(report.errors[0]).toMatchObject({
      code: 'INVALID_ROW',
      message: expect.stringContaining('20000 new tags'),
    })
    expect(report.stored + report.failed).toBe(25_000)
  }, 60_000)

  it('tells of no more than 1,000 columns and doubts', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    const columns = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`c${i}`, `c${i}:number`]))
    const text = `id,${cells(3000, i => `c${i}`)}\n1,${cells(3000, () => 'x')}\n`
    const { reading } = await shop.documents.import(Buffer.from(text), { format: 'csv', columns }).finished
    expect([reading.columns.length, reading.doubts.length]).toEqual([1000, 1000])
  })

  it('of any number of rows keeps few of them in memory', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    let [read, made, most] = [0, 0, 0]
    function* source() {
      yield Buffer.from('Nr;Text;Preis\n')
      for (; read < 100_000; read += 500) {
        most = Math.max(most, read - made)
        yield Buffer.from(
          rows(500, i => `${read + i};Gr\xf6\xdfe ${i};1.${100 + (i % 900)},50\n`),
          'latin1',
        )
      }
    }
    const report = await shop.documents.import(source(), {
      format: 'csv',
      columns: { Nr: 'id', Preis: 'price:number' },
      row: () => {
        made++
        return undefined
      },
    }).finished
    expect([report.rows, made, report.reading.encoding]).toEqual([100_000, 100_000, 'windows-1252'])
    expect(most).toBeLessThan(10_000)
  }, 60_000)
})
