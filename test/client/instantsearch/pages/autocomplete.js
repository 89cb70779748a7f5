import { autocomplete, getAlgoliaResults } from '@algolia/autocomplete-js'
import { instantSearchClient } from '@findling/client/instantsearch'
import { createSearch } from '@findling/client/search'

const { baseAddress, key } = window.shop
const searchClient = instantSearchClient(createSearch({ baseAddress, key }))

autocomplete({
  container: '#box',
  placeholder: 'Search products',
  openOnFocus: false,
  getSources: ({ query }) => [
    {
      sourceId: 'products',
      getItems: () =>
        getAlgoliaResults({
          searchClient,
          queries: [{ indexName: 'products', params: { query, hitsPerPage: 5 } }],
        }),
      templates: {
        item: ({ item, components, html }) =>
          html`<div class="aa-title">${components.Highlight({ hit: item, attribute: 'title' })}</div>`,
      },
    },
  ],
})
