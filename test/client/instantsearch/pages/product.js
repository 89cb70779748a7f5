import { insightsClient, instantSearchClient } from '@findling/client/instantsearch'
import { createSearch, EventQueue } from '@findling/client/search'
import instantsearch from 'instantsearch.js'
import { createInsightsMiddleware } from 'instantsearch.js/es/middlewares'
import { lookingSimilar, relatedProducts } from 'instantsearch.js/es/widgets'

const { baseAddress, key, product } = window.shop
const catalogue = createSearch({ baseAddress, key })
const search = instantsearch({
  indexName: 'products',
  searchClient: instantSearchClient(catalogue),
  future: { preserveSharedStateOnUnmount: true },
})
const events = new EventQueue(catalogue, { isPublic: true, delay: 60_000 })
search.use(createInsightsMiddleware({ insightsClient: insightsClient(events) }))
const templates = {
  item: (hit, { html, sendEvent }) => html`
    <strong onClick=${() => sendEvent('click', hit, 'Hit Clicked')}>${hit.title}</strong>
    <span class="price"> ${hit.price}</span>
  `,
}
search.addWidgets([
  relatedProducts({
    container: '#hits',
    objectIDs: [product],
    limit: 6,
    queryParameters: { filters: 'stock > 0' },
    templates,
  }),
  lookingSimilar({ container: '#pages', objectIDs: [product], limit: 4, templates }),
])
search.start()
