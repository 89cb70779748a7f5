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
  TrendingRequest,
  togetherOptions,
  trendingInput,
} from '../wire/baskets.ts'
import { seesBaskets, withoutNames, withoutNumbers } from './basket-rights.ts'
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
        return await answered(call, answering, (dataset, { Ids, ...body }, held) =>
          dataset.boughtTogether(Ids, { ...togetherOptions(body), ...held }),
        )
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
      example: { body: { Count: 3, By: 'Count', Days: 365 } },
      responses,
      handle: async call => {
        return await answered(call, answering, (dataset, body, held) =>
          dataset.trending({ ...trendingInput(body), ...held }),
        )
      },
    }),
  ]
}

type Common = Omit<z.output<typeof BoughtTogetherRequest>, 'Ids'> & {
  readonly Ids?: readonly string[] | undefined
}

/** As far as the caller may ask, and may be told. */
async function answered<Body extends Common>(
  {
    engine,
    dataset,
    body,
    caller,
    headers,
    deadline,
  }: Pick<Call, 'engine' | 'dataset' | 'caller' | 'headers' | 'deadline'> & { readonly body: Body },
  answering: Answering,
  ask: (
    dataset: Dataset<object>,
    body: Body,
    held: object,
  ) => Promise<BasketHit<object>[] & IdentifiedAnswer>,
) {
  const seesNumbers = seesBaskets(engine, dataset, caller)
  const asked = seesNumbers ? body : withoutNumbers(body, caller)
  caller.refuseBeyondLimit(body.Count, 'Count')
  requireFewPatterns(body.Filter, caller)
  const held = {
    ...caller.held({}),
    ...heldFields(engine, dataset, caller),
    ...deadline,
    ...askedBy({ headers, caller }, body),
  }
  try {
    const found = await ask(engine.datasets.get<object>(dataset), asked, held)
    return {
      status: 200 as const,
      body: await identified(basketResult(found, seesNumbers), found, answering),
    }
  } catch (error) {
    throw seesNumbers ? error : withoutNames(error)
  }
}
