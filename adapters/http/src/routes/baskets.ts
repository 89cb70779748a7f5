import type { BasketHit, Dataset, IdentifiedAnswer } from 'findling'
import type * as z from 'zod'
import { type Answering, identified } from '../analytics/answering.ts'
import { askedBy } from '../analytics/asking.ts'
import type { Call, Route } from '../route.ts'
import { exampleBought } from '../sample/example.ts'
import {
  BasketResult,
  BoughtTogetherRequest,
  basketOrigins,
  basketResult,
  leastUnlessGiven,
  TrendingRequest,
  togetherOptions,
  trendingInput,
} from '../wire/baskets.ts'
import { defineRoute } from './define-route.ts'
import { heldFields, requireFewPatterns } from './held-searches.ts'

const responses = {
  200: { when: 'The documents', body: BasketResult },
  400: { when: 'The body is invalid, or the setting Baskets of the dataset does not fit' },
  404: { when: 'There is no such dataset, or none with the baskets' },
} as const

/** Contract, 20: what baskets recommend. */
export function basketRoutes(answering: Answering): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/Documents/BoughtTogether',
      action: 'DocumentsBoughtTogether/Post',
      summary:
        'Finds the documents that are bought together with others, more often than chance would explain',
      extension: true,
      dataset: true,
      body: BoughtTogetherRequest,
      origins: basketOrigins,
      example: { body: { Ids: [exampleBought], Count: 3, Filter: 'price:<200' } },
      responses,
      handle: async call => {
        const { Ids, ...body } = call.body
        const ask = (dataset: Dataset<object>, held: object) => dataset.boughtTogether(Ids, held)
        return await answered({ ...call, body }, togetherOptions(body), answering, ask)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Documents/Trending',
      action: 'DocumentsTrending/Post',
      summary: 'Finds the documents that have been bought more than usual, or most, in the last days',
      extension: true,
      dataset: true,
      body: TrendingRequest,
      origins: basketOrigins,
      example: { body: { Count: 3, Days: 7 } },
      responses,
      handle: async call => {
        const ask = (dataset: Dataset<object>, held: object) => dataset.trending(held)
        return await answered(call, trendingInput(call.body), answering, ask)
      },
    }),
  ]
}

type Asked = Pick<Call, 'engine' | 'dataset' | 'caller' | 'headers' | 'deadline'> & {
  readonly body: Omit<z.output<typeof BoughtTogetherRequest>, 'Ids'>
}

/** With the options of the request, as far as the caller may ask for them. */
async function answered(
  { engine, dataset, body, caller, headers, deadline }: Asked,
  options: object,
  answering: Answering,
  ask: (dataset: Dataset<object>, held: object) => Promise<BasketHit<object>[] & IdentifiedAnswer>,
) {
  // Another one would let a caller find out by trial how often things are bought.
  caller.refuseNumbers(body.Least !== leastUnlessGiven, 'Least')
  caller.refuseBeyondLimit(body.Count, 'Count')
  requireFewPatterns(body.Filter, caller)
  const held = { ...caller.held(options), ...heldFields(engine, dataset, caller) }
  const found = await ask(engine.datasets.get<object>(dataset), {
    ...held,
    ...deadline,
    ...askedBy({ headers, caller }, body),
  })
  return {
    status: 200 as const,
    body: await identified(basketResult(found, caller.seesNumbers), found, answering),
  }
}
