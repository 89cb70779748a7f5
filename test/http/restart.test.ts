import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Engine } from 'findling'
import { expect, test } from 'vitest'
import { openLicence } from '../../adapters/http/src/licence/licence.ts'
import { numbers } from '../crash/numbers.mjs'
import { temporaryFolder } from '../engine/engines.ts'
import { type ServerProcess, startServer } from './serve/server-process.ts'

// The server is the built one, of `npm run build` and `npm run build -w adapters/http`.

const firstSecret = 'the-first-secret'
const secret = 'the-secret-set-later'
const seed = 1
const lives = 5
const perTransfer = 1_000
const sample = { id: '1', title: 'Sample', tag: ['a'] }

interface Stored {
  readonly id: string
  readonly title: string
}

interface ProcessModel {
  readonly Id: string
  readonly Status: string
  readonly ErrorMessages: readonly string[]
}

/** Calls one life of the server. */
class Client {
  readonly #url: string

  constructor({ url }: ServerProcess) {
    this.#url = url
  }

  async send(method: string, path: string, body?: unknown, dataset = '', key = secret): Promise<Response> {
    return await fetch(this.#url + path, {
      method,
      headers: { Authorization: `Findling ${key}`, 'X-DataSet': dataset, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  async json<T>(path: string): Promise<T> {
    const response = await this.send('GET', path)
    expect([path, response.status]).toEqual([path, 200])
    return (await response.json()) as T // what the contract says of this path
  }

  async contents(dataset: string): Promise<Map<string, string>> {
    const response = await this.send('GET', '/api/Documents/Export', undefined, dataset)
    const lines = (await response.text()).split('\n').filter(line => line !== '')
    const documents = lines.map(line => JSON.parse(line) as Stored)
    return new Map(documents.map(({ id, title }) => [id, title]))
  }

  async processes(): Promise<ProcessModel[]> {
    return await this.json('/api/Processes?allStatus=true&allTime=true&extensions=true')
  }
}

/** What clients were told and what must therefore hold in every later life. */
class Ledger {
  /** Titles by id. */
  readonly sent = new Map<string, string>()
  readonly acknowledged = new Set<string>()
  /** Of processes. */
  readonly begun = new Set<string>()

  /** @returns ids of documents that break the promise */
  broken(found: {
    source: Map<string, string>
    moved: Map<string, string>
    copied: Map<string, string>
  }): string[] {
    const lost = [...this.acknowledged].filter(id => !found.source.has(id) && !found.moved.has(id))
    const twice = [...found.moved.keys()].filter(id => found.source.has(id))
    const others = Object.values(found).flatMap(documents =>
      [...documents].filter(([id, title]) => this.sent.get(id) !== title).map(([id]) => id),
    )
    return [...lost, ...twice, ...others]
  }
}

/** An empty store with a licence in it. */
async function prepare(store: string): Promise<void> {
  const engine = await Engine.open({ store })
  const licence = await openLicence(engine)
  await licence.store(await licence.issueOpenSource('someone@example.org'))
  for (const name of ['source', 'copied', 'moved']) {
    await engine.datasets.create(name, { sample, interpretedFields: ['title'] })
  }
  await engine.close()
}

/** Stores documents with ids of their own, remembering those that are acknowledged. */
async function bulk(client: Client, ledger: Ledger, name: string, count: number): Promise<void> {
  const documents = Array.from({ length: count }, (_, at) => ({
    ...sample,
    id: `${name}-${at}`,
    title: `Document ${at} of ${name}`,
  }))
  for (const { id, title } of documents) ledger.sent.set(id, title)
  const response = await client.send('POST', '/api/Documents/Bulk', { Documents: documents }, 'source')
  const { Results } = (await response.json()) as { Results: { StatusCode: number; Id: string }[] } // contract, 5.4
  expect(Results.filter(({ StatusCode }) => StatusCode !== 200)).toEqual([])
  for (const { Id } of Results) ledger.acknowledged.add(Id)
}

async function transfer(
  client: Client,
  ledger: Ledger,
  to: 'copied' | 'moved',
  ids: string[],
): Promise<void> {
  const path = to === 'copied' ? '/api/Documents/Copy' : '/api/Documents/Move'
  const body = { DocumentIdList: ids, TargetDataSetName: to }
  const response = await client.send('POST', path, body, 'source')
  expect(response.status).toBe(202)
  ledger.begun.add(((await response.json()) as ProcessModel).Id)
}

/** Bulk, copy and move at once, and a kill while they run, at most so many milliseconds after the first has begun. */
async function workAndDie(
  server: ServerProcess,
  ledger: Ledger,
  life: number,
  longest: number,
  random: (below: number) => number,
) {
  const client = new Client(server)
  const all = [...(await client.contents('source')).keys()]
  const ids = all.slice(random(Math.max(1, all.length - 2 * perTransfer)))
  // What the kill cuts off fails; that is the point.
  const cut = () => {}
  const transfers = [
    transfer(client, ledger, 'copied', ids.slice(0, perTransfer)),
    transfer(client, ledger, 'moved', ids.slice(perTransfer / 2, (perTransfer * 3) / 2)),
  ]
  const bulks = [1, 2, 3, 4].map(at => bulk(client, ledger, `life${life}-${at}`, 300))
  for (const work of [...transfers, ...bulks]) work.catch(cut)
  await Promise.race(transfers).catch(cut)
  await pause(random(longest))
  await server.end('SIGKILL')
  await Promise.allSettled([...transfers, ...bulks])
}

/** A copy of the store is examined, so that the server is the first to open what the kill left. */
async function expectSound(folder: string, life: number): Promise<void> {
  const copy = join(folder, `copy-${life}`)
  await cp(join(folder, 'data'), copy, { recursive: true })
  const engine = await Engine.open({ store: copy })
  expect(await engine.doctor()).toMatchObject({ ok: true, faults: [] })
  await engine.close()
}

/** What has nothing to do with documents and processes: statistics grow, the rest stays. */
async function installation(client: Client) {
  const { InstanceId } = await client.json<{ InstanceId: string }>('/')
  const licence = await client.json<{ IsValid: boolean; Base64: string }>('/api/License')
  expect(licence.IsValid).toBe(true)
  return { InstanceId, licence }
}

async function countedRequests(client: Client): Promise<number> {
  return (await client.json<{ Sum: number }>('/api/Statistics')).Sum
}

async function expectKept(client: Client, ledger: Ledger): Promise<ProcessModel[]> {
  const [source, copied, moved] = [
    await client.contents('source'),
    await client.contents('copied'),
    await client.contents('moved'),
  ]
  expect(ledger.broken({ source, copied, moved })).toEqual([])
  expect(await client.json('/api/Processes?extensions=true')).toEqual([])
  const processes = await client.processes()
  for (const id of ledger.begun) expect(processes.map(({ Id }) => Id)).toContain(id)
  for (const { Status, ErrorMessages } of processes) {
    expect(['Finished', 'Error']).toContain(Status)
    if (Status === 'Error') expect(ErrorMessages.join()).toContain('interrupted')
  }
  return processes
}

test(`a server that is killed during bulk, copy and move loses nothing it has answered (seed ${seed})`, {
  timeout: 300_000,
}, async () => {
  const random = numbers(seed)
  const folder = await temporaryFolder()
  await prepare(join(folder, 'data'))
  const run = {
    folder,
    args: ['--empty'],
    env: { FINDLING_SECRET: firstSecret, FINDLING_LOG_LEVEL: 'silent' },
  }
  const ledger = new Ledger()

  let server = await startServer(run)
  let client = new Client(server)
  const changed = await client.send(
    'POST',
    '/api/Maintenance/ChangeSecret',
    { Secret: secret },
    '',
    firstSecret,
  )
  expect(changed.status).toBe(200)
  for (const name of ['first', 'second', 'third']) await bulk(client, ledger, name, 1_000)
  const before = await installation(client)
  expect(await server.end('SIGTERM')).toMatchObject({ code: 0 }) // which writes what was counted
  server = await startServer(run)
  let counted = 6 // the secret, three bulks, the licence, and the request that asks
  let interrupted = 0

  // A kill may come too late to interrupt anything: then the next comes earlier.
  for (let life = 1, longest = 120; life <= lives || interrupted < 2; life++) {
    await workAndDie(server, ledger, life, longest, random)
    await expectSound(folder, life)
    server = await startServer(run)
    client = new Client(server)
    expect((await client.send('GET', '/api/DataSets', undefined, '', firstSecret)).status).toBe(401)
    const sum = await countedRequests(client)
    expect(sum).toBeGreaterThanOrEqual(counted)
    counted = sum - 1 // the one that asked is not written yet
    expect(await installation(client)).toEqual(before)
    const failed = (await expectKept(client, ledger)).filter(({ Status }) => Status === 'Error').length
    if (failed === interrupted) longest = Math.ceil(longest / 2)
    interrupted = failed
  }
})
