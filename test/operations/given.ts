import type { Engine } from 'findling'
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
