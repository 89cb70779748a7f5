import { table } from '../report.ts'
import { english, items, tags } from '../same/catalogue.ts'
import { sample } from '../same/world.ts'
import { type TracedSources, withTracedSources } from './traced-sources.ts'
import { roomsOf, type Walk, WalkTracer } from './walk.ts'

export const walked = ['a search', 'an upsert', 'a search over HTTP', 'an upsert over HTTP'] as const
export type Walked = (typeof walked)[number]
export type Walks = Readonly<Record<Walked, Walk>>

const secret = 's3cr3t-of-the-bench'

/** Which folders of the sources a search and a write pass through, in a dataset that has been asked everything before. */
export function walks(): Promise<Walks> {
  return withTracedSources(async sources => {
    const engine = await sources.Engine.open()
    const dataset = await engine.datasets.create('shop', {
      sample,
      interpretedFields: ['title', 'desc'],
      topics: false,
    })
    await dataset.tags.replaceAll(tags)
    const some = items(english, 'e', 60)
    await dataset.documents.bulk(some)
    const search = () =>
      dataset.search('wirless lamp', { filter: 'price:>1', facets: ['brand'], highlight: true, limit: 5 })
    const upsert = () => dataset.documents.upsert({ ...some[7]!, price: 5 })
    // What follows the documents is then in memory, and every write is told to it.
    await dataset.complete('wir')
    await dataset.similar({ id: 'e1' })
    await dataset.keywords({ tagId: 'hoses' })
    const served = await serve(sources, engine)
    const ask = (path: string, body: object) => () => served.post(`/api/${path}`, body)
    const calls: Record<Walked, () => Promise<unknown>> = {
      'a search': search,
      'an upsert': upsert,
      'a search over HTTP': ask('Documents/Search', {
        Text: 'wirless lamp',
        Filter: { Query: 'price:>1' },
        Facets: ['brand'],
        Highlight: true,
        Limit: 5,
      }),
      'an upsert over HTTP': ask('Documents/Bulk', { Documents: [{ ...some[7]!, price: 5 }] }),
    }
    const found: [Walked, Walk][] = []
    for (const name of walked) found.push([name, await walkOf(sources, calls[name])])
    await served.close()
    await engine.close()
    return Object.fromEntries(found) as Walks
  })
}

async function walkOf({ follow }: TracedSources, call: () => Promise<unknown>): Promise<Walk> {
  for (let before = 0; before < 3; before++) await call()
  // What the calls before have left to do is done.
  await new Promise(resolve => setTimeout(resolve, 200))
  const tracer = new WalkTracer()
  const time = performance.now
  // It stands still, so that nothing takes so long that it has to let others have their turn.
  performance.now = () => 0
  follow(tracer)
  try {
    await call()
  } finally {
    follow(undefined)
    performance.now = time
  }
  return tracer.walk
}

async function serve({ http }: TracedSources, engine: Parameters<TracedSources['http']['openAccess']>[0]) {
  const hashCost = { cost: 2 ** 10, blockSize: 8, parallelization: 1 }
  const access = await http.openAccess(engine, { schemes: ['Findling'], seed: secret, hashCost })
  const licence = await http.openLicence(engine)
  const config = { ...http.readConfig({}), diskMinimumMb: 0 }
  const app = http.createApp({
    engine,
    config,
    access,
    setup: http.createSetup({ access, licence }),
    licence,
  })
  return {
    close: () => app.close(),
    async post(path: string, body: object): Promise<void> {
      const request = new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: {
          Authorization: `Findling ${secret}`,
          'X-DataSet': 'shop',
          'Content-Type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      const response = await app.fetch(request, { remoteAddress: '127.0.0.1' })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}: ${text}`)
    },
  }
}

export function walksReport(found: Walks): string {
  const rows = walked.map(name => {
    const { folders, again, up, beside } = found[name]
    return [name, ...[roomsOf(found[name]), folders, again, up, beside].map(one => `${one.length}`)]
  })
  const ways = walked.map(name => {
    const { folders, again, up, beside } = found[name]
    const lists = { 'entered again': again, 'called back': up, 'files beside the folders': beside }
    const more = Object.entries(lists).map(([about, list]) => `  ${about}: ${list.join(', ') || 'none'}`)
    return [`${name}: ${folders.join(', ')}`, ...more].join('\n')
  })
  return [
    table(['', 'rooms', 'folders', 'entered again', 'called back', 'files beside'], rows),
    ...ways,
  ].join('\n\n')
}
