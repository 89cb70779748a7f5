import { insightsClient, instantSearchClient } from '@findling/client/instantsearch'
import { createSearch, EventQueue } from '@findling/client/search'
import instantsearch from 'instantsearch.js'
import { createInsightsMiddleware } from 'instantsearch.js/es/middlewares'
import {
  clearRefinements,
  configure,
  currentRefinements,
  hierarchicalMenu,
  hits,
  pagination,
  rangeInput,
  ratingMenu,
  refinementList,
  searchBox,
  sortBy,
  stats,
} from 'instantsearch.js/es/widgets'

const { baseAddress, key } = window.shop
const catalogue = createSearch({ baseAddress, key })
const searchClient = instantSearchClient(catalogue, {
  hierarchies: { categories: { field: 'tag' } },
})
const search = instantsearch({
  indexName: 'products',
  searchClient,
  routing: true,
  future: { preserveSharedStateOnUnmount: true },
})
const events = new EventQueue(catalogue, { isPublic: true, delay: 60_000 })
search.use(createInsightsMiddleware({ insightsClient: insightsClient(events) }))
search.on('error', error => {
  document.title = `Problem: ${error.message}`
})
search.addWidgets([
  configure({ hitsPerPage: 12, attributesToSnippet: ['description:12'] }),
  searchBox({ container: '#box', placeholder: 'Search products' }),
  stats({ container: '#stats' }),
  sortBy({
    container: '#order',
    items: [
      { label: 'Best', value: 'products' },
      { label: 'Cheapest', value: 'products/sort/price:asc' },
      { label: 'Newest', value: 'products/sort/released:desc' },
    ],
  }),
  currentRefinements({ container: '#chosen' }),
  clearRefinements({ container: '#clear' }),
  hierarchicalMenu({
    container: '#categories',
    attributes: ['categories.lvl0', 'categories.lvl1', 'categories.lvl2'],
    limit: 20,
  }),
  refinementList({ container: '#brands', attribute: 'brand', searchable: true, limit: 8, showMore: true }),
  rangeInput({ container: '#price', attribute: 'price' }),
  ratingMenu({ container: '#rating', attribute: 'rating' }),
  hits({
    container: '#hits',
    templates: {
      item: (hit, { html, components, sendEvent }) => html`
        <strong onClick=${() => sendEvent('click', hit, 'Hit Clicked')}>
          ${components.Highlight({ hit, attribute: 'title' })}
        </strong>
        <button onClick=${() => sendEvent('conversion', hit, 'Bought', { value: hit.price })}>Buy</button>
        <span class="price"> ${hit.price}</span>
        <p>${components.Snippet({ hit, attribute: 'description' })}</p>
      `,
    },
  }),
  pagination({ container: '#pages' }),
])
search.start()
