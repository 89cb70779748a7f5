import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { Engine } from 'findling'
import { expect, onTestFinished, test } from 'vitest'
import {
  declineSample,
  findCatalogue,
  loadSample,
  wantsSample,
} from '../../../adapters/http/src/sample/catalogue.ts'
import { exampleBought } from '../../../adapters/http/src/sample/example.ts'

const folder = new URL('../../fixtures/catalogue/', import.meta.url)

async function openEngine(): Promise<Engine> {
  const engine = await Engine.open()
  onTestFinished(() => engine.close())
  return engine
}

test('the catalogue is found where it lies, and elsewhere none', async () => {
  expect(await findCatalogue(folder)).toMatchObject({ products: expect.stringMatching(/products\.jsonl$/) })
  expect(await findCatalogue(pathToFileURL(`${tmpdir()}/`))).toBeUndefined()
})

test('every product and tag of it is accepted by the strict rules', async () => {
  const engine = await openEngine()
  const percents: number[] = []
  const catalogue = await findCatalogue(folder)
  await loadSample(engine, catalogue!, percent => percents.push(percent))
  const { documents, tags, settings } = engine.datasets.get('demo')
  expect([documents.count, (await tags.list()).length, settings.validation]).toEqual([2400, 125, 'strict'])
  expect(percents.at(-1)).toBe(100)
  expect([...percents].sort((one, other) => one - other)).toEqual(percents)
})

test('its orders say which of its products go together, and which are trending', async () => {
  const engine = await openEngine()
  await loadSample(engine, (await findCatalogue(folder))!, () => {})
  const demo = engine.datasets.get('demo')
  const [together] = await demo.boughtTogether(exampleBought)
  expect(together).toMatchObject({ score: expect.any(Number), document: { title: expect.any(String) } })
  expect(together!.score).toBeGreaterThan(3)
  const rising = new Set((await demo.trending({ limit: 20 })).flatMap(({ document }) => document.tag))
  expect(rising.size).toBeLessThan(20)
})

test('a new store wants it; one that has it, did without it, or has other data does not', async () => {
  const [loaded, declined, used] = [await openEngine(), await openEngine(), await openEngine()]
  expect(await wantsSample(loaded)).toBe(true)
  const catalogue = await findCatalogue(folder)
  await loadSample(loaded, catalogue!, () => {})
  await loaded.datasets.remove('demo')
  await declineSample(declined)
  await used.datasets.create('products')
  for (const engine of [loaded, declined, used]) expect(await wantsSample(engine)).toBe(false)
})

test('loading it again after an interruption ends with the whole of it', async () => {
  const engine = await openEngine()
  const catalogue = await findCatalogue(folder)
  const interrupted = loadSample(engine, catalogue!, percent => {
    if (percent > 0) throw new Error('interrupted')
  })
  await expect(interrupted).rejects.toThrow()
  expect(await wantsSample(engine)).toBe(true)
  await loadSample(engine, catalogue!, () => {})
  expect(engine.datasets.get('demo').documents.count).toBe(2400)
  expect(await wantsSample(engine)).toBe(false)
})
