import { describe, expect, it } from 'vitest'
import { targetsOf, targetsTable } from '../../bench/targets.ts'
import { answersResults, relevanceResults, searchResults, spellingResults } from './made-up-results.ts'

const verdictOf = (targets: ReturnType<typeof targetsOf>, what: string) =>
  targets.find(target => target.what.startsWith(what))?.measured

describe('targetsOf', () => {
  it('compares what was measured in one run with minisearch', () => {
    const at = (slowness: number) =>
      targetsOf({
        searches: [
          searchResults(100_000, {
            findling: { slowness: 1 },
            'findling on disk': { slowness: 1 },
            minisearch: { slowness },
          }),
        ],
      })
    expect(verdictOf(at(40), '100k: term')).toEqual({ value: '40.0x', reached: true })
    expect(verdictOf(at(39), '100k: term')).toEqual({ value: '39.0x', reached: false })
    expect(verdictOf(at(40), '100k: or, queries')).toMatchObject({ reached: false })
    expect(verdictOf(at(10), '100k: bytes/doc')).toEqual({ value: '0.10x', reached: true })
    expect(verdictOf(at(2), '100k: bytes/doc')).toEqual({ value: '0.50x', reached: false })
    expect(verdictOf(at(10), '100k: re-opened')).toMatchObject({ reached: true })
    expect(verdictOf(at(10), '100k: typo while writing')).toEqual({ value: '1.00x', reached: true })
    expect(verdictOf(at(10), '100k: add and find in memory, p99')).toEqual({
      value: '3.00 ms',
      reached: true,
    })
  })

  it('says nothing of what was not measured', () => {
    const nothing = targetsOf({ searches: [] })
    expect(nothing.length).toBeGreaterThan(30)
    expect(nothing.filter(({ measured }) => measured !== undefined)).toEqual([])
    const alone = targetsOf({ searches: [searchResults(100_000, { findling: { slowness: 1 } })] })
    expect(verdictOf(alone, '100k: term')).toBeUndefined()
    expect(verdictOf(alone, '1m: re-opened')).toBeUndefined()
  })

  it('holds a million documents against the clock', () => {
    const at = (slowness: number) =>
      targetsOf({
        searches: [
          searchResults(1_000_000, {
            findling: { slowness },
            'findling on disk': { slowness: slowness / 2 },
          }),
        ],
      })
    expect(verdictOf(at(2), '1m: and')).toEqual({ value: '4.00 ms', reached: true })
    expect(verdictOf(at(3), '1m: and')).toEqual({ value: '6.00 ms', reached: false })
    expect(verdictOf(at(4), '1m: re-opened')).toEqual({ value: '2.00 s', reached: false })
  })

  it('holds leads against their intervals', () => {
    const targets = targetsOf({
      searches: [],
      relevance: relevanceResults({
        findling: 0.73,
        'minisearch, typos asked': 0.725,
        fts5: 0.7,
        lunr: 0.735,
      }),
    })
    const lead = (peer: string) =>
      verdictOf(targets, `both collections, all queries, clean: our lead over ${peer}`)
    expect(lead('minisearch')).toMatchObject({ reached: false }) // the interval holds zero, which is not above it
    expect(lead('fts5')).toMatchObject({ reached: true })
    expect(lead('lunr')).toMatchObject({ reached: true }) // behind, but not significantly
    expect(verdictOf(targets, 'esci-us-small, all queries, clean')).toEqual({
      value: '0.730',
      reached: false,
    })
    expect(verdictOf(targets, 'cranfield, even queries, typo')).toMatchObject({ reached: true })
  })

  it('holds all answers and those of the worst class against their shares', () => {
    const targets = targetsOf({ searches: [], answers: answersResults({ findling: [10, 8] }) })
    expect(verdictOf(targets, 'answers: accepted')).toEqual({ value: '90.0 %', reached: false })
    expect(verdictOf(targets, 'answers: accepted, worst class')).toEqual({ value: '80.0 %', reached: false })
  })

  it('holds corrections against the rule of symspell', () => {
    const of = (ours: number) =>
      targetsOf({ searches: [], spelling: spellingResults({ findling: ours, rule: 0.8 }) })
    expect(verdictOf(of(0.85), 'spell-wikipedia: first correction right, symspell')).toMatchObject({
      reached: true,
    })
    expect(verdictOf(of(0.84), 'spell-wikipedia: first correction right, symspell')).toMatchObject({
      reached: false,
    })
    expect(verdictOf(of(0.84), 'spell-wikipedia: right first')).toEqual({ value: '84.0 %', reached: false })
    expect(verdictOf(of(0.84), 'esci-us-small: queries with')).toEqual({ value: '2.0 %', reached: false })
  })
})

describe('targets of similar documents', () => {
  const found = (hitAt1: number) => {
    const all = { hitAt1, hitAt10: 0.74, reciprocalRank: 0.5 }
    return { all, even: all, buildMs: 1, bytesPerDocument: 1, queryMs: 1, p50: 1 }
  }
  const neighbours = (documents: number, cpuSeconds: number) => ({
    documents,
    build: { cpuSeconds: 1, seconds: 1 },
    lists: { cpuSeconds, seconds: 1 },
    indexBytes: 1,
    resident: 5e8,
    p50: 0.9,
    p95: 2,
  })
  const targets = targetsOf({
    searches: [],
    similar: {
      sets: [
        { set: 'abt-buy', figures: [{ name: 'findling similarity', ...found(0.9) }] },
        { set: 'wdc-products-small', figures: [{ name: 'findling similarity', ...found(0.3) }] },
      ],
      split: [],
      duplicates: [{ what: 'abt-buy, published pairs', threshold: 0.4, precision: 1, recall: 1, f1: 0.8 }],
      neighbours: [neighbours(20_000, 10), neighbours(35_311, 119.5)],
      settings: [],
    },
  })

  it('hold what was measured against what is wanted', () => {
    expect(verdictOf(targets, 'abt-buy, rarity from what is stored')).toEqual({
      value: '0.900',
      reached: false,
    })
    expect(verdictOf(targets, 'abt-buy, rarity from both shops')).toBeUndefined()
    expect(verdictOf(targets, 'wdc-products-small')).toEqual({ value: '0.740', reached: true })
    expect(verdictOf(targets, 'duplicates')).toEqual({ value: '0.800', reached: true })
    expect(verdictOf(targets, '20k offers')).toEqual({ value: '0.90 ms', reached: true })
    expect(verdictOf(targets, '35k offers: index')).toMatchObject({ reached: false })
    expect(verdictOf(targets, '35k offers: resident')).toEqual({ value: '500 MB', reached: true })
  })
})

describe('targetsTable', () => {
  it('says reached, missed or not measured', () => {
    const measured = { value: '2x', reached: true }
    const rows = targetsTable([
      { what: 'a', wanted: '1x', measured },
      { what: 'b', wanted: '3x', measured: { ...measured, reached: false } },
      { what: 'c', wanted: '4x' },
    ]).split('\n')
    expect(rows.slice(2).map(row => row.split('|').at(-2)!.trim())).toEqual([
      'reached',
      'missed',
      'not measured',
    ])
  })
})
