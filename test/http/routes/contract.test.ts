import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wordCounter } from '../../classification/service/word-counter.ts'
import { contractTable } from '../contract-table.ts'
import { type Api, routes, startApi } from './api.ts'
import { keyOf } from './named-keys.ts'
import { analyticsScenarios } from './scenarios/analytics.ts'
import { classifierScenarios } from './scenarios/classifier.ts'
import { dataSetScenarios } from './scenarios/datasets.ts'
import { documentScenarios } from './scenarios/documents.ts'
import { extensionScenarios } from './scenarios/extensions.ts'
import { installationScenarios } from './scenarios/installation.ts'
import { processScenarios } from './scenarios/processes.ts'
import type { Scenario, Scenarios } from './scenarios/scenario.ts'
import { serviceScenarios } from './scenarios/services.ts'
import { settingsScenarios } from './scenarios/settings.ts'
import { similarScenarios } from './scenarios/similar.ts'
import { tagScenarios } from './scenarios/tags.ts'
import { openShop } from './shop.ts'

const scenarios = new Map<string, Scenario>(
  [
    installationScenarios,
    dataSetScenarios,
    settingsScenarios,
    tagScenarios,
    documentScenarios,
    processScenarios,
    serviceScenarios,
    classifierScenarios,
    similarScenarios,
    extensionScenarios,
    analyticsScenarios,
  ].flatMap(byKey),
)

function byKey(all: Scenarios): [string, Scenario][] {
  return Object.entries(all).flatMap(([endpoint, byStatus]) =>
    Object.entries(byStatus).map(([status, scenario]): [string, Scenario] => [
      `${endpoint} ${status}`,
      scenario,
    ]),
  )
}

const keys = contractTable.map(({ endpoint, status }) => `${endpoint} ${status}`)
const delivered = contractTable.filter(row => row.delivered)

describe('the table of the contract', () => {
  test('has every row once', () => {
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('has a scenario for every row that is delivered, and none for another', () => {
    const expected = delivered.map(({ endpoint, status }) => `${endpoint} ${status}`)
    expect([...scenarios.keys()].sort()).toEqual(expected.sort())
  })

  test('has a row, delivered, for every status that the routes declare', () => {
    const declared = routes.flatMap(({ method, path, writes, responses }) =>
      [...Object.keys(responses), ...(writes ? ['507'] : [])].map(status => `${method} ${path} ${status}`),
    )
    const rows = new Set(delivered.map(({ endpoint, status }) => `${endpoint} ${status}`))
    expect(declared.filter(key => !rows.has(key))).toEqual([])
  })

  test('calls no endpoint delivered that has no route', () => {
    const paths = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    const known = new Set([...paths, 'any /api'])
    expect(delivered.filter(({ endpoint }) => !known.has(endpoint))).toEqual([])
  })
})

describe('the API answers', () => {
  let engine: Engine
  let api: Api
  let full: Api
  let without: Api
  beforeAll(async () => {
    // With another type of service, which calls of search services refuse.
    engine = await Engine.openWith({ analytics: { mode: 'full' } }, { services: { counter: wordCounter() } })
    api = await startApi({ engine })
    full = await startApi({ engine: api.engine, config: { diskMinimumMb: 1e12 } })
    without = await startApi()
  })
  afterAll(async () => {
    await Promise.all([full.stop(), without.stop()])
    await api.stop()
    await engine.close()
  })

  test.each(delivered)('$endpoint with $status: $when', async ({ endpoint, status }) => {
    const scenario = scenarios.get(`${endpoint} ${status}`)!
    const shop = await openShop(api.engine)
    const reply = await scenario({
      api,
      send: api.send,
      sendFull: full.send,
      sendWithout: without.send,
      key: about => keyOf(api, about),
      shop,
    })
    expect(reply).toMatchObject({ endpoint, status })
  })
})
