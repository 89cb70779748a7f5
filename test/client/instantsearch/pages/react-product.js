import { insightsClient, instantSearchClient } from '@findling/client/instantsearch'
import { createSearch, EventQueue } from '@findling/client/search'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import { InstantSearch, LookingSimilar, RelatedProducts } from 'react-instantsearch'

const { baseAddress, key, product } = window.shop
const catalogue = createSearch({ baseAddress, key })
const searchClient = instantSearchClient(catalogue)
const insights = {
  insightsClient: insightsClient(new EventQueue(catalogue, { isPublic: true, delay: 60_000 })),
}

const Item = ({ item, sendEvent }) =>
  h('strong', { onClick: () => sendEvent('click', item, 'Hit Clicked') }, item.title)

const Page = () =>
  h(
    InstantSearch,
    { indexName: 'products', searchClient, insights, future: { preserveSharedStateOnUnmount: true } },
    h(RelatedProducts, {
      objectIDs: [product],
      limit: 6,
      queryParameters: { filters: 'stock > 0' },
      itemComponent: Item,
    }),
    h(LookingSimilar, { objectIDs: [product], limit: 4, itemComponent: Item }),
  )

createRoot(document.getElementById('page')).render(h(Page))
