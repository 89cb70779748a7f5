import type { Caller } from './caller.ts'
import { type Shop, shop } from './shop.ts'
import { standing } from './traffic.ts'

const dataset = shop

/** Makes, prepares and activates the services that stay. */
export async function openStanding(caller: Caller): Promise<void> {
  await classifierRound(caller, standing.classifier)
  await similarRound(caller, standing.similar)
  await searchRound(caller, standing.search)
}

/** One piece of the work that takes longer, each in its turn. */
export async function round(number: number, caller: Caller, shop: Shop): Promise<void> {
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

async function made(caller: Caller, Type: string, Alias: string): Promise<void> {
  await caller.call({ path: '/api/Services', body: { Name: Alias, Alias, Type }, status: 201 })
}

async function exported(caller: Caller, path: string, body: object): Promise<void> {
  await caller.download(await caller.process({ path: `${path}/ExportDictionaries`, body }))
}

async function removed(caller: Caller, alias: string): Promise<void> {
  await caller.call({ method: 'DELETE', path: `/api/Services/${alias}` })
}
