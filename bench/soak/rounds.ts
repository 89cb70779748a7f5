import { readFile } from 'node:fs/promises'
import type { Caller } from './caller.ts'
import { shop as dataset, Shop } from './shop.ts'
import { standing } from './traffic.ts'

const folder = new URL('../../test/fixtures/files/', import.meta.url)
const files = [
  'letter.pdf',
  'letter.docx',
  'letter.html',
  'letter.eml',
  'stock.xlsx',
  'slides.odp',
  'locked.pdf',
]

/** Makes, prepares and activates the services that stay. */
export async function openStanding(caller: Caller): Promise<void> {
  await classifierRound(caller, standing.classifier)
  await similarRound(caller, standing.similar)
  await searchRound(caller, standing.search)
}

/** A server that has run for days lists as many processes that are over as it keeps. */
export async function pastProcesses(count: number, caller: Caller, shop: Shop): Promise<void> {
  const aside = 'aside'
  await caller.call({ path: '/api/DataSets', body: shop.settings(aside), status: 201 })
  const body = { DocumentIdList: ['p0'], TargetDataSetName: aside }
  for (let past = 0; past < count; past++)
    await caller.call({ path: '/api/Documents/Copy', dataset, body, status: 202 })
  await caller.call({ method: 'DELETE', path: `/api/DataSets/${aside}` })
}

/**
 * One piece of the work that takes longer, each in its turn.
 * @param passing lets another client come and go
 */
export async function round(
  number: number,
  { caller, shop, passing }: { caller: Caller; shop: Shop; passing: (id: string) => Promise<void> },
): Promise<void> {
  const alias = `passing-${number}`
  const rounds = [
    async () => {
      await classifierRound(caller, alias)
      await exported(caller, `/api/Services/Classifier/${alias}`, { NGramList: [1, 2] })
      await removed(caller, alias)
    },
    async () => {
      await similarRound(caller, alias)
      await exported(caller, `/api/Services/Prc/${alias}`, {})
      await removed(caller, alias)
    },
    async () => {
      const call = { path: '/api/Tags/ExportWords', dataset, body: { NGramList: [1, 2, 3] } }
      await caller.download(await caller.process(call))
    },
    async () => {
      await searchRound(caller, alias)
      await caller.call({ path: `/api/Services/Search/${alias}/Deactivate` })
      await removed(caller, alias)
    },
    async () => {
      await datasetRound(caller, alias, shop)
    },
    async () => {
      await transferRound(caller, alias, shop)
    },
    async () => {
      await filesRound(caller, alias)
    },
    async () => {
      await caller.process({ path: '/api/Maintenance/Backup' })
    },
    async () => {
      await keysRound(caller, alias)
    },
    async () => {
      await passing(alias)
    },
  ]
  await rounds[number % rounds.length]!()
}

async function classifierRound(caller: Caller, alias: string): Promise<void> {
  await made(caller, 'Classifier', alias)
  const path = `/api/Services/Classifier/${alias}`
  await caller.process({ path: `${path}/Prepare`, body: { DataSetName: dataset, NGramList: [1, 2] } })
  await caller.process({ path: `${path}/Activate`, body: {} })
  await caller.call({ path: `${path}/Recommend`, body: { Text: 'kind1' } })
}

async function similarRound(caller: Caller, alias: string): Promise<void> {
  await made(caller, 'Prc', alias)
  const path = `/api/Services/Prc/${alias}`
  await caller.process({ path: `${path}/Prepare`, body: { DataSetName: dataset } })
  await caller.process({ path: `${path}/Activate`, body: {} })
  await caller.process({ path: `${path}/Index`, body: {} })
  await caller.process({ path: `${path}/IndexPartial` })
  await caller.call({ path: `${path}/RecommendById`, body: { DocumentId: 'p1' } })
}

async function searchRound(caller: Caller, alias: string): Promise<void> {
  await made(caller, 'Search', alias)
  const path = `/api/Services/Search/${alias}`
  await caller.process({ path: `${path}/Prepare`, body: { DataSetName: dataset } })
  await caller.process({ path: `${path}/Activate`, body: {} })
  await caller.call({ path, body: { Text: 'kind1' } })
}

/** A dataset that comes and goes, and is searched meanwhile. */
async function datasetRound(caller: Caller, name: string, shop: Shop): Promise<void> {
  await caller.call({ path: '/api/DataSets', body: shop.settings(name), status: 201 })
  const ids = Array.from({ length: 100 }, () => `p${shop.anyNumber()}`)
  const body = { DocumentIdList: ids, TargetDataSetName: name }
  // Some of them may be gone for the moment.
  await caller.download(await caller.process({ path: '/api/Documents/Copy', dataset, body }))
  await caller.call({ path: '/api/Documents/Search', dataset: name, body: { Text: shop.text() } })
  await caller.download(await caller.process({ path: '/api/Documents/Duplicates', dataset: name, body: {} }))
  await caller.call({ method: 'DELETE', path: `/api/DataSets/${name}` })
}

/** All documents go to another dataset as lines. */
async function transferRound(caller: Caller, name: string, shop: Shop): Promise<void> {
  await caller.call({ path: '/api/DataSets', body: shop.settings(name), status: 201 })
  const lines = await caller.call<string>({ method: 'GET', path: '/api/Documents/Export', dataset })
  const body = { body: lines, contentType: 'application/x-ndjson' }
  await caller.process({ path: '/api/Documents/Import', dataset: name, ...body })
  await caller.call({ method: 'DELETE', path: `/api/DataSets/${name}` })
}

/** Files are read, and stored as attachments; one of them is encrypted. */
async function filesRound(caller: Caller, name: string): Promise<void> {
  const text = { type: 'string' }
  const Schema = { type: 'object', properties: { id: text, tag: text, manual: { type: 'attachment' } } }
  const fields = { IdField: 'id', TagField: 'tag', InterpretedFields: ['manual'] }
  const body = { Name: name, ...fields, NGramCount: 1, Schema }
  await caller.call({ path: '/api/DataSets/Schema', body, status: 201 })
  for (const file of files) {
    const Content = await readFile(new URL(file, folder), 'base64')
    const status = file.startsWith('locked') ? 400 : 200
    await caller.call({ path: '/api/Helper/FileParser', body: { Content }, status })
    const document = { id: file, tag: 'a', manual: Content }
    const stored = { path: '/api/Documents', dataset: name, body: document }
    await caller.call({ ...stored, status: status === 200 ? 201 : 400 })
  }
  await caller.call({ path: '/api/Documents/Search', dataset: name, body: { Text: 'linseed oil' } })
  await caller.call({ method: 'DELETE', path: `/api/DataSets/${name}` })
}

/** A key comes, is used, and is gone. */
async function keysRound(caller: Caller, Name: string): Promise<void> {
  const body = { Name, Scopes: ['Search'], DataSets: [dataset], Filter: 'price:<100' }
  const key = await caller.call<{ Id: string; Key: string }>({ path: '/api/Keys', body, status: 201 })
  if (!key) return
  const search = { path: '/api/Documents/Search', dataset, body: { Text: 'kind1' } }
  await caller.as(key.Key).call(search)
  await caller.call({ method: 'DELETE', path: `/api/Keys/${key.Id}` })
  await caller.as(key.Key).call({ ...search, status: 401 })
}

/** A client that was just added is served soon, and has a shop of its own. */
export async function passingClient(caller: Caller): Promise<void> {
  await caller.untilKnown()
  const shop = new Shop(100)
  await shop.open(caller)
  await caller.call({ path: '/api/Documents/Search', dataset, body: { Text: shop.text() } })
}

async function made(caller: Caller, Type: string, Alias: string): Promise<void> {
  await caller.call({ path: '/api/Services', body: { Name: Alias, Alias, Type }, status: 201 })
}

async function exported(caller: Caller, path: string, body: object): Promise<void> {
  await caller.download(await caller.process({ path: `${path}/ExportDictionaries`, body }))
}

async function removed(caller: Caller, alias: string): Promise<void> {
  await caller.call({ method: 'DELETE', path: `/api/Services/${alias}` })
}
