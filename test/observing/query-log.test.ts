import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { type Observation, queryLog, type SearchObservation } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, openEngine, temporaryFolder } from '../engine/engines.ts'

const search: SearchObservation = {
  type: 'search',
  dataset: 'products',
  at: 1,
  took: 2,
  text: 'lamp',
  total: { count: 0, exact: true },
  hits: [],
  words: [],
  relaxed: [],
}

/** A stream that takes a part only when it is told to. */
function slowStream() {
  const taken: string[] = []
  let go: (() => void) | undefined
  const stream = new Writable({
    highWaterMark: 1,
    write(part, _, done) {
      taken.push(String(part))
      go = done
    },
  })
  const proceed = async () => {
    go?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  return { stream, taken, proceed }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

describe('a query log', () => {
  it('has a line of JSON for everything that was asked, and none for writes unless they are wanted', async () => {
    const file = join(await temporaryFolder(), 'queries.jsonl')
    const stream = createWriteStream(file)
    const engine = await openEngine({ observer: queryLog(stream) })
    const products = await engine.datasets.create('products')
    await products.documents.insert({ id: '1', title: 'Line\nfeed lamp' })
    await products.search('lamp\n"', { context: { user: 'u1' } })
    await products.complete('lam')
    await engine.close()
    stream.end()
    await finished(stream)
    expect(linesOf(await readFile(file, 'utf8'))).toMatchObject([
      { type: 'search', text: 'lamp\n"', context: { user: 'u1' }, hits: [{ id: '1', place: 1 }] },
      { type: 'completion', text: 'lam' },
    ])
  })

  it('drops what a slow stream cannot take, and says how much once it can', async () => {
    const { stream, taken, proceed } = slowStream()
    const observe = queryLog(stream, { buffer: 0 })
    for (let i = 0; i < 4; i++) observe({ ...search, at: i })
    expect(linesOf(taken.join(''))).toMatchObject([{ at: 0 }])
    await proceed()
    expect(linesOf(taken.join(''))[1]).toEqual({ type: 'dropped', observations: 3 })
    await proceed()
    observe({ ...search, at: 9 })
    expect(linesOf(taken.join('')).slice(2)).toMatchObject([{ at: 9 }])
  })

  it('holds no more than its buffer and a line', () => {
    const { stream } = slowStream()
    const observe = queryLog(stream, { buffer: 10_000 })
    const line = JSON.stringify(search).length + 1
    for (let i = 0; i < 10_000; i++) observe(search)
    expect(stream.writableLength).toBeLessThanOrEqual(10_000 + line)
    expect(stream.writableLength).toBeGreaterThan(10_000)
  })

  it('writes bounded lines whatever was asked', () => {
    const { stream, taken } = slowStream()
    const long = '\ud83d'.repeat(10_000_000)
    const hits = Array.from({ length: 10_000 }, (_, i) => ({ id: `p${i}`, place: i + 1 }))
    const filter = Array.from({ length: 64 }, () => ({ id: { in: Array(5000).fill(long) } }))
    queryLog(stream)({ ...search, text: long, hits, filter })
    const [line] = linesOf(taken.join(''))
    expect(line.text).toHaveLength(1000)
    expect(line.hits).toHaveLength(1000)
    expect(taken[0]!.length).toBeLessThan(2_000_000)
  })

  it.each([
    ['has failed', (stream: Writable) => stream.destroy(new Error('the disk is full'))],
    ['was destroyed', (stream: Writable) => stream.destroy()],
    ['has ended', (stream: Writable) => stream.end()],
  ])('tells once that its stream %s, and writes to it no more', async (_, end) => {
    const stream = new Writable({ write: (_, __, done) => done() })
    const observe = queryLog(stream)
    observe(search)
    end(stream)
    await new Promise(resolve => setImmediate(resolve))
    expect(await codeOf(() => observe(search))).toBe('CLOSED')
    expect(() => observe(search)).not.toThrow()
  })

  it('has only the types that were chosen', () => {
    const { stream, taken } = slowStream()
    const observe = queryLog(stream, { types: ['write'] })
    const write: Observation = { type: 'write', dataset: 'products', at: 1, changes: [] }
    observe(search)
    observe(write)
    expect(linesOf(taken.join(''))).toEqual([write])
  })

  it.each([
    ['no stream', undefined, {}],
    ['a path', './queries.jsonl', {}],
    ['an unknown type', slowStream().stream, { types: ['read'] }],
    ['an unknown option', slowStream().stream, { size: 1 }],
    ['less than nothing', slowStream().stream, { buffer: -1 }],
  ])('refuses %s', async (_, stream, options) => {
    expect(await codeOf(() => queryLog(stream as never, options as never))).toBe('INVALID_ARGUMENT')
  })
})
