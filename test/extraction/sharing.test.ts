import { readFileSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { Engine } from 'findling'
import { Extractor } from 'findling/extract'
import { describe, expect, it, onTestFinished } from 'vitest'

const letter = readFileSync(new URL('../fixtures/files/letter.pdf', import.meta.url))
const text = (number: number): Buffer => Buffer.from(`number ${number}`)

function sharedBy(threads = 1): Extractor {
  const extractor = new Extractor({ threads })
  onTestFinished(() => extractor.close())
  return extractor
}

async function enginesOf(extractor: Extractor, count: number): Promise<Engine[]> {
  const engines = await Promise.all(Array.from({ length: count }, () => Engine.open({ extractor })))
  onTestFinished(async () => {
    await Promise.all(engines.map(engine => engine.close()))
  })
  return engines
}

/** Most threads of this process that were there at one time while something was done. */
async function threadsDuring(work: () => Promise<unknown>): Promise<number> {
  let [now, most] = [0, 0]
  const begins = (worker: Worker) => {
    most = Math.max(most, ++now)
    worker.once('exit', () => now--)
  }
  process.on('worker', begins)
  try {
    await work()
    return most
  } finally {
    process.off('worker', begins)
  }
}

describe('an extractor of several engines', () => {
  it('reads their files in its own threads, and no more', async () => {
    const engines = await enginesOf(sharedBy(2), 4)
    const read = () =>
      Promise.all(engines.flatMap((engine, i) => [1, 2, 3].map(j => engine.extract(text(10 * i + j)))))
    let found: Awaited<ReturnType<typeof read>> = []
    const threads = await threadsDuring(async () => {
      found = await read()
    })
    expect(found.map(one => one.text)).toEqual(
      engines.flatMap((_, i) => [1, 2, 3].map(j => `number ${10 * i + j}\n`)),
    )
    expect(threads).toBe(2)
  })

  it('ends what one of them reads and waits to read when that is closed, and nothing else', async () => {
    const [leaving, staying] = (await enginesOf(sharedBy(), 2)) as [Engine, Engine]
    const properties = { id: { type: 'string' }, file: { type: 'attachment' } }
    const settings = { schema: { type: 'object', properties } }
    const documents = await Promise.all(
      [leaving, staying].map(async engine => (await engine.datasets.create('files', settings)).documents),
    )
    const codeOf = (error: { code: string }) => error.code
    const ended = [leaving.extract(letter), leaving.extract(text(1))].map(read => read.catch(codeOf))
    const [refused, stored] = documents.map(one => one.insert({ id: '1', file: letter.toString('base64') }))
    const kept = [staying.extract(letter), staying.extract(text(2))]
    const settled = Promise.allSettled([refused!])
    await leaving.close()
    expect(await Promise.all(ended)).toEqual(['CLOSED', 'CLOSED'])
    expect(await settled).toMatchObject([{ reason: { code: 'CLOSED' } }])
    expect(await leaving.extract(text(3)).catch(codeOf)).toBe('CLOSED')
    expect((await Promise.all(kept)).map(one => one.title)).toEqual(['Care of wooden garden benches', null])
    await stored
    expect(await documents[1]!.get('1')).toMatchObject({ id: '1' })
  })

  it('reads a file of each of them in turn, however many one of them has', async () => {
    const [many, few] = (await enginesOf(sharedBy(), 2)) as [Engine, Engine]
    const order: string[] = []
    const read = (engine: Engine, name: string) => engine.extract(text(1)).then(() => void order.push(name))
    const all = [1, 2, 3, 4, 5, 6].map(i => read(many, `many ${i}`))
    await Promise.all([...all, read(few, 'few 1'), read(few, 'few 2')])
    const places = ['few 1', 'few 2'].map(name => order.indexOf(name))
    // One of the other begins first, and one is next when the first of these comes.
    expect(places).toEqual([2, 4])
  })

  it('reads for nobody once it is closed itself, and stays open when they are', async () => {
    const extractor = sharedBy()
    const [first, second] = (await enginesOf(extractor, 2)) as [Engine, Engine]
    await first.close()
    expect((await extractor.extract(text(1))).text).toBe('number 1\n')
    const reading = second.extract(letter).catch(error => error.code)
    await extractor.close()
    expect(await reading).toBe('CLOSED')
    await expect(second.extract(text(2))).rejects.toMatchObject({ code: 'CLOSED' })
  })
})

it('an engine takes an extractor, or what makes one, and refuses anything else', async () => {
  const extractor = sharedBy()
  const refusals = [
    [{ extractor: {} as Extractor }, 'extractor'],
    [{ extractor, extraction: { threads: 1 } }, 'extraction'],
  ] as const
  for (const [options, field] of refusals)
    await expect(Engine.open(options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { field } })
})
