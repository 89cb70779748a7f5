import type { Engine, FindlingError } from 'findling'
import { collected } from '../engine/engines.ts'

/** Everything that was given, numbers and times among it. */
export async function givenIn(engine: Engine): Promise<unknown> {
  const datasets = []
  for (const { name, createdAt, settings, schema } of engine.datasets.list()) {
    const { documents, tags } = engine.datasets.get(name)
    datasets.push({
      ...{ name, createdAt, settings, schema },
      records: await collected(documents.scan()),
      changes: await collected(documents.changes()),
      tags: await tags.list(),
    })
  }
  const services = engine.services.list().map(service => ({ ...service, jobs: [] }))
  return { datasets, services, notes: await collected(engine.namespace('notes').entries()) }
}

const words = ['desk', 'lamp', 'green', 'garden', 'hose', 'steel', 'rake', 'wireles', 'mouse', 'oa']

/** Of one word, of two, of three. */
const questions = words.flatMap((word, i) => {
  const [next, last] = [words[(i + 3) % words.length]!, words[(i + 7) % words.length]!]
  return [word, `${word} ${next}`, `${next} ${word} ${last}`, `"${word} ${next}"`]
})

/** What is found, with everything that makes its scores. */
export async function answersOf(engine: Engine): Promise<unknown> {
  const answers = []
  for (const { name } of engine.datasets.list()) {
    const dataset = engine.datasets.get(name)
    for (const question of questions) {
      const { hits, words, total } = await dataset.search(question, { explain: true })
      answers.push({ name, question, hits, words, total })
    }
    for (const word of words)
      answers.push(await dataset.classify(word).catch((error: FindlingError) => error.code))
  }
  for (const { id, type, status } of engine.services.list()) {
    if (status !== 'active') continue
    const ask = (word: string): Promise<unknown> =>
      type === 'search'
        ? engine.services.get(id, 'search').search(word)
        : engine.services.get(id, 'classifier').recommend(word)
    for (const word of words) answers.push([id, await ask(word).catch((error: FindlingError) => error.code)])
  }
  return answers
}
