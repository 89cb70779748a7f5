import { describe, expect, it } from 'vitest'
import type { SearchEvent } from '../../../adapters/client/src/api/models.ts'
import { insightsClient } from '../../../adapters/client/src/instantsearch/insights.ts'

function insights(options?: Parameters<typeof insightsClient>[1]) {
  const told: SearchEvent[] = []
  return { told, aa: insightsClient({ add: (...events) => void told.push(...events) }, options) }
}

describe('the insights of InstantSearch', () => {
  it('tell clicks with their places, conversions with what they were worth, and views', () => {
    const { told, aa } = insights({ userToken: 'u1' })
    aa('clickedObjectIDsAfterSearch', {
      eventName: 'Hit Clicked',
      index: 'shop',
      queryID: 'q1',
      objectIDs: ['a', 'b'],
      positions: [3, 4],
    })
    aa('convertedObjectIDsAfterSearch', { queryID: 'q1', objectIDs: ['a', 'b'], value: 30, userToken: 7 })
    aa('purchasedObjectIDsAfterSearch', {
      queryID: 'q1',
      objectIDs: ['a', 'b'],
      objectData: [
        { price: '2.5', quantity: 4 },
        { queryID: 'q2', price: 5 },
      ],
    })
    aa('viewedObjectIDs', { queryID: 'q1', objectIDs: ['c'], value: 5 })
    expect(told).toEqual([
      { type: 'Click', queryId: 'q1', id: 'a', position: 3, user: 'u1' },
      { type: 'Click', queryId: 'q1', id: 'b', position: 4, user: 'u1' },
      { type: 'Conversion', queryId: 'q1', id: 'a', value: 15, user: '7' },
      { type: 'Conversion', queryId: 'q1', id: 'b', value: 15, user: '7' },
      { type: 'Conversion', queryId: 'q1', id: 'a', value: 10, user: 'u1' },
      { type: 'Conversion', queryId: 'q2', id: 'b', value: 5, user: 'u1' },
      { type: 'View', queryId: 'q1', id: 'c', user: 'u1' },
    ])
  })

  it('tell nothing of what belongs to no answer, and nothing that cannot be', () => {
    const { told, aa } = insights()
    aa('viewedObjectIDs', { objectIDs: ['a'] })
    aa('clickedObjectIDs', { objectIDs: ['a'] })
    aa('clickedFilters', { filters: ['brand:x'] })
    aa('constructor', { queryID: 'q', objectIDs: ['a'] })
    aa('__proto__', { queryID: 'q', objectIDs: ['a'] })
    aa('clickedObjectIDsAfterSearch')
    aa('clickedObjectIDsAfterSearch', null)
    aa('sendEvents', null)
    aa('sendEvents', [null, { eventType: 'instantsearch', objectIDs: ['a'], queryID: 'q' }])
    aa('addAlgoliaAgent', 'insights-middleware')
    expect(told).toEqual([])
    aa('convertedObjectIDsAfterSearch', { queryID: 'q', objectIDs: ['a'], value: 'much' })
    expect(told).toEqual([{ type: 'Conversion', queryId: 'q', id: 'a' }])
  })

  it('tell of a purchase, and not of the cart before it', () => {
    const { told, aa } = insights()
    const bought = { queryID: 'q', objectIDs: ['a'], objectData: [{ price: 20 }] }
    aa('addedToCartObjectIDsAfterSearch', bought)
    aa('addedToCartObjectIDs', bought)
    aa('sendEvents', [{ ...bought, eventType: 'conversion', eventSubtype: 'addToCart' }])
    expect(told).toEqual([])
    aa('sendEvents', [{ ...bought, eventType: 'conversion', eventSubtype: 'purchase' }])
    aa('sendEvents', [{ ...bought, eventType: 'conversion' }])
    aa('purchasedObjectIDsAfterSearch', bought)
    const purchase = { type: 'Conversion', queryId: 'q', id: 'a', value: 20 }
    expect(told).toEqual([purchase, purchase, purchase])
  })

  it('know who is there, and say so when that changes', () => {
    const { told, aa } = insights()
    const heard: unknown[] = []
    aa('onUserTokenChange', (token: unknown) => heard.push(token), { immediate: true })
    aa('setUserToken', 'u1')
    aa('getUserToken', null, (error: unknown, token: unknown) => heard.push([error, token]))
    aa('init', { appId: 'none', userToken: 'u2' })
    aa('sendEvents', [{ eventType: 'click', queryID: 'q', objectIDs: ['a'] }])
    aa('onUserTokenChange', undefined)
    aa('setUserToken', 'u3')
    expect(heard).toEqual([undefined, 'u1', [null, 'u1'], 'u2'])
    expect(told).toEqual([{ type: 'Click', queryId: 'q', id: 'a', user: 'u2' }])
  })
})
