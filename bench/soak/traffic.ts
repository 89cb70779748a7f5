import { randomInteger } from '../random.ts'
import type { Caller } from './caller.ts'
import { type Shop, shop } from './shop.ts'

/** Aliases of services that stay active. */
export const standing = {
  classifier: 'standing-classifier',
  similar: 'standing-similar',
  search: 'standing-search',
}

/** What one lane asks. Documents of a lane are its own, so that no two lanes change the same at once. */
export interface Lane {
  readonly shop: Shop
  readonly caller: Caller
  readonly number: number
  readonly lanes: number
}

const dataset = shop
const inBulk = 20

const ownNumber = ({ shop, number, lanes }: Lane): number =>
  randomInteger(shop.next, Math.floor(shop.documents / lanes)) * lanes + number

const updates = async (lane: Lane) => {
  const path = `/api/Documents/p${ownNumber(lane)}`
  await lane.caller.call({ method: 'PUT', path, dataset, body: { price: lane.shop.next() * 100 } })
}

const removes = async (lane: Lane) => {
  const number = ownNumber(lane)
  await lane.caller.call({ method: 'DELETE', path: `/api/Documents/p${number}`, dataset })
  await lane.caller.call({ path: '/api/Documents', dataset, body: lane.shop.item(number), status: 201 })
}

const writesInBulk = async (lane: Lane) => {
  const numbers = Array.from({ length: inBulk }, () => ownNumber(lane))
  await lane.caller.call({
    path: '/api/Documents/Bulk',
    dataset,
    body: { Documents: lane.shop.items(numbers) },
  })
}

/** Some lists are read to their end, others are left where they are. */
const scrolls = async ({ caller, shop }: Lane) => {
  const body = { Pagination: { Limit: 20 }, Filter: { Query: shop.text() }, Order: { OrderByField: 'price' } }
  let page = await caller.call<{ ScrollId: string | null }>({ path: '/api/Documents/Filter', dataset, body })
  for (let pages = randomInteger(shop.next, 4); page?.ScrollId && pages > 0; pages--)
    page = await caller.call({ path: `/api/Documents/Filter/${page.ScrollId}`, dataset })
}

const searches = async ({ caller, shop }: Lane) => {
  await caller.call({
    path: '/api/Documents/Search',
    dataset,
    body: { Text: shop.text(), Facets: ['brand'], Highlight: true, Filter: { Query: 'price:<300' } },
  })
}

const asks = async ({ caller, shop }: Lane) => {
  await caller.call({ path: `/api/Services/Search/${standing.search}`, body: { Text: shop.text() } })
}

const completes = async ({ caller, shop }: Lane) => {
  const Text = shop.text().slice(0, 5)
  await caller.call({ path: '/api/Documents/Complete', dataset, body: { Text } })
  await caller.call({ path: '/api/Documents/Suggest', dataset, body: { Text: shop.text() } })
}

const classifies = async ({ caller, shop }: Lane) => {
  const path = `/api/Services/Classifier/${standing.classifier}/Recommend`
  await caller.call({ path, body: { Text: shop.text(), NeedTagInResult: true } })
}

const recommends = async ({ caller, shop }: Lane) => {
  const path = `/api/Services/Prc/${standing.similar}`
  const Text = `${shop.text()} Kind1`
  await caller.call({ path: `${path}/Recommend`, body: { Text, NeedDocumentInResult: true } })
  await caller.call({ path: `${path}/RecommendById`, body: { DocumentId: `p${shop.anyNumber()}` } })
  await caller.call({ path: `${path}/Keywords`, body: { Text, TagId: 'tag-1' } })
}

const compares = async ({ caller, shop }: Lane) => {
  await caller.call({ path: '/api/Documents/Similar', dataset, body: { Text: shop.text() } })
}

const samples = async ({ caller, shop }: Lane) => {
  const body = { Id: `${randomInteger(shop.next, 1_000)}`, Size: 10 }
  await caller.call({ path: '/api/Documents/Sample', dataset, body })
}

const looks = async ({ caller }: Lane) => {
  await caller.call({ method: 'GET', path: '/api/Tags?withDetails=true', dataset })
  await caller.call({ method: 'GET', path: '/api/Statistics/-1/-1' })
  await caller.call({ method: 'GET', path: '/api/Processes?allStatus=true' })
  await caller.call({ method: 'GET', path: '/api/Status' })
}

const errs = async (lane: Lane) => {
  const { caller, shop } = lane
  await caller.call({ path: '/api/Documents', dataset, body: '{"id": ', status: 400 })
  await caller.call({ path: '/api/Documents', dataset, body: shop.item(ownNumber(lane)), status: 409 })
  await caller.call({ method: 'GET', path: `/api/Nothing/${randomInteger(shop.next, 1e9)}`, status: 404 })
}

/** How often each of a hundred times. */
const mix: readonly (readonly [share: number, act: (lane: Lane) => Promise<void>])[] = [
  [14, updates],
  [8, removes],
  [6, writesInBulk],
  [10, scrolls],
  [20, searches],
  [12, asks],
  [8, completes],
  [8, classifies],
  [4, recommends],
  [4, compares],
  [3, samples],
  [1, looks],
  [2, errs],
]

export async function act(lane: Lane): Promise<void> {
  let draw = lane.shop.next() * 100
  for (const [share, chosen] of mix) {
    if (draw < share) return await chosen(lane)
    draw -= share
  }
}
