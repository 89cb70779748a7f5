import { instantSearchClient } from '@findling/client/instantsearch'
import { createSearch } from '@findling/client/search'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import {
  ClearRefinements,
  Configure,
  CurrentRefinements,
  HierarchicalMenu,
  Highlight,
  Hits,
  InstantSearch,
  Pagination,
  RangeInput,
  RefinementList,
  SearchBox,
  Snippet,
  SortBy,
  Stats,
} from 'react-instantsearch'

const { baseAddress, key } = window.shop
const searchClient = instantSearchClient(createSearch({ baseAddress, key }), {
  hierarchies: { categories: { field: 'tag' } },
})

const Product = ({ hit }) =>
  h(
    'article',
    null,
    h('strong', null, h(Highlight, { hit, attribute: 'title' })),
    h('span', { className: 'price' }, ` ${hit.price}`),
    h('p', null, h(Snippet, { hit, attribute: 'description' })),
  )

const Page = () =>
  h(
    InstantSearch,
    { indexName: 'products', searchClient, future: { preserveSharedStateOnUnmount: true } },
    h(Configure, { hitsPerPage: 12, attributesToSnippet: ['description:12'] }),
    h('header', null, h(SearchBox, { placeholder: 'Search products' })),
    h(
      'div',
      { className: 'columns' },
      h(
        'aside',
        null,
        h('div', { id: 'chosen' }, h(CurrentRefinements)),
        h(ClearRefinements),
        h(
          'div',
          { id: 'categories' },
          h(HierarchicalMenu, {
            attributes: ['categories.lvl0', 'categories.lvl1', 'categories.lvl2'],
            limit: 20,
          }),
        ),
        h('div', { id: 'brands' }, h(RefinementList, { attribute: 'brand', searchable: true, limit: 8 })),
        h('div', { id: 'price' }, h(RangeInput, { attribute: 'price' })),
      ),
      h(
        'main',
        null,
        h(
          'div',
          { className: 'line' },
          h('div', { id: 'stats' }, h(Stats)),
          h(
            'div',
            { id: 'order' },
            h(SortBy, {
              items: [
                { label: 'Best', value: 'products' },
                { label: 'Cheapest', value: 'products/sort/price:asc' },
              ],
            }),
          ),
        ),
        h('div', { id: 'hits' }, h(Hits, { hitComponent: Product })),
        h('div', { id: 'pages' }, h(Pagination)),
      ),
    ),
  )

createRoot(document.getElementById('page')).render(h(Page))
