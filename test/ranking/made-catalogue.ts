import type { Dataset, Engine } from 'findling'
import { collected } from '../engine/engines.ts'
import { sequence } from '../fulltext/dictionary/made-terms.ts'

const kinds: Record<string, string[]> = {
  pans: 'frying pan oven lid induction steel handle coated pans handles cooking cooker'.split(' '),
  lamps: 'lamp shade bulb light desk steel switch lights lamps bulbs hanging hanger'.split(' '),
  tents: 'tent rope hook ground canvas steel pegs tents ropes camping camper camps'.split(' '),
}
const names = Object.keys(kinds)

/** A title, a longer text and a tag; titles become longer from document to document, so that average lengths drift. */
export function catalogueOf(size: number, seed = 5) {
  const next = sequence(seed)
  const below = (limit: number) => Math.floor((next() / 2 ** 32) * limit)
  return Array.from({ length: size }, (_, i) => {
    const tag = names[below(names.length)]!
    const some = (count: number) => Array.from({ length: count }, () => kinds[tag]![below(12)]!).join(' ')
    const code = i % 5 === 0 ? ` X${below(400)}` : ''
    return {
      id: `d${i}`,
      title: `${some(2 + below(2 + (4 * i) / size))}${code}`,
      desc: `${some(3 + below(20))} the word${below(300)}`,
      tag,
      price: below(90),
    }
  })
}

export type MadeDocument = ReturnType<typeof catalogueOf>[number]

/** The same documents in another order. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const next = sequence(seed)
  const order = items.map(item => ({ item, at: next() }))
  return order.sort((one, other) => one.at - other.at).map(({ item }) => item)
}

const all = Object.values(kinds).flat()

/** Two hundred: words, prefixes, typos, phrases, excluded words, codes. */
export const questions = Array.from({ length: 200 }, (_, i) => {
  const [one, other, third] = [all[i % 36]!, all[(i * 7 + 3) % 36]!, all[(i * 11 + 5) % 36]!]
  switch (i % 8) {
    case 0:
      return one
    case 1:
      return `${one} ${other}`
    case 2:
      return `${one} ${other} ${third}`
    case 3:
      return `${one.slice(0, -1)} ${other}`
    case 4:
      return `"${one} ${other}" ${third}`
    case 5:
      return `${one} -${other}`
    case 6:
      return `X${i} ${other} word${i}`
    default:
      return `${one.slice(0, 2)}${one.slice(3)} ${third} steel`
  }
})

/** All that is answered, as one text for each question. */
export async function answersOf(dataset: Dataset, asked: readonly string[] = questions): Promise<string[]> {
  const answers: string[] = []
  for (const question of asked) {
    const answer = await dataset.search(question, { limit: 30, facets: ['price'], explain: true })
    answers.push(JSON.stringify(answer))
  }
  return answers
}

export async function madeDataset(engine: Engine, name = 'products'): Promise<Dataset> {
  const dataset = await engine.datasets.create(name, { interpretedFields: ['title', 'desc'] })
  for (const tag of names) await dataset.tags.create({ id: tag, name: tag, parentId: null })
  return dataset
}

/** Waits until an engine that makes its own constants has made them. */
export async function madeConstants(engine: Engine, dataset: Dataset): Promise<void> {
  const factor = async () =>
    (await dataset.search('steel lamp', { explain: true })).hits[0]?.explanation?.topicFactor
  while ((await factor()) === 1 || !(await dataset.info()).categories)
    await new Promise(resolve => setTimeout(resolve, 20))
  while (engine.jobs().some(({ endedAt }) => endedAt === null))
    await new Promise(resolve => setTimeout(resolve, 5))
}

/** The constants of an engine that makes its own, and its answers by these: from a moment at which it makes no others. */
export async function settled(dataset: Dataset): Promise<{ constants: Uint8Array[]; answers: string[] }> {
  for (;;) {
    const constants = await collected(dataset.ranking.export())
    const answers = await answersOf(dataset)
    const after = await collected(dataset.ranking.export())
    if (Buffer.concat(after).equals(Buffer.concat(constants))) return { constants, answers }
  }
}
