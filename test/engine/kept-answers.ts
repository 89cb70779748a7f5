import type { Dataset, Engine } from 'findling'

const titles = Array.from({ length: 300 }, (_, i) => `${['Oak', 'Brass', 'Glass'][i % 3]} lamp w${i}`)

/** A dataset of which 300 searches find something. */
export async function lampsIn(engine: Engine): Promise<Dataset> {
  const dataset = await engine.datasets.create('lamps', { sample: { id: '1', title: 'A' } })
  await dataset.documents.bulk(titles.map((title, i) => ({ id: `${i}`, title })))
  return dataset
}

/** Bytes of memory that it takes to search for the same things again. */
export async function bytesOfKeptAnswers(engine: Engine, dataset: Dataset): Promise<number> {
  const ask = async () => {
    for (let i = 0; i < titles.length; i++) await dataset.search(`w${i} lamp`)
  }
  // What is known of words is there after the first time.
  await ask()
  const before = engine.memory().total
  await ask()
  await ask()
  return engine.memory().total - before
}
