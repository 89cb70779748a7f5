import { describe, expect, it } from 'vitest'
import { lossesOf } from '../../bench/losses.ts'
import { answersResults, relevanceResults, searchResults, spellingResults } from './made-up-results.ts'

const ours = {
  findling: { slowness: 1, documents: 'memory' },
  'findling on disk': { slowness: 2, documents: 'disk' },
} as const

describe('lossesOf', () => {
  it('names lists of misspellings that a peer corrects better', () => {
    const spelling = spellingResults({ findling: 0.8, rule: 0.7, peer: 0.88 })
    expect(lossesOf({ searches: [], spelling })).toEqual([
      {
        where: 'spell-wikipedia: first correction right',
        peer: 'peer',
        theirs: '88.0 %',
        ours: '80.0 %',
        by: '1.10x',
      },
    ])
  })

  it('names classes of answers in which a peer is ahead', () => {
    const answers = answersResults({ findling: [9, 5], equal: [9, 5], peer: [8, 7] })
    expect(lossesOf({ searches: [], answers })).toEqual([
      { where: 'answers: sentences', peer: 'peer', theirs: '7', ours: '5', by: '2 of 10' },
    ])
  })

  it('is empty where every peer is slower', () => {
    const searches = [searchResults(10_000, { ...ours, peer: { slowness: 3, documents: 'disk' } })]
    expect(lossesOf({ searches, relevance: relevanceResults({ findling: 0.7, peer: 0.6 }) })).toEqual([])
  })

  it('names everything in which a peer is ahead', () => {
    const losses = lossesOf({ searches: [searchResults(10_000, { ...ours, peer: { slowness: 0.5 } })] })
    const wheres = losses.map(({ where }) => where)
    expect(wheres).toEqual(
      expect.arrayContaining([
        '10k: build, docs/CPU-s',
        '10k: bytes/doc',
        '10k: and, queries/CPU-s',
        '10k: typo, p99 ms',
        '10k: or, whole documents, queries/CPU-s',
        '10k: or while writing, queries/CPU-s',
        '10k: add and find, p50 ms',
        '10k: removal, docs/s',
        '10k: re-open, s',
      ]),
    )
    expect(new Set(losses.map(({ peer }) => peer))).toEqual(new Set(['peer']))
    expect(losses.find(({ where }) => where === '10k: and, queries/CPU-s')).toMatchObject({
      theirs: '2.0k',
      ours: '1.0k',
      by: '2.00x',
    })
  })

  it('compares documents on disk with documents on disk', () => {
    const at = (documents: 'memory' | 'disk') => ({ slowness: 1.5, documents })
    const of = (documents: 'memory' | 'disk') =>
      lossesOf({ searches: [searchResults(10_000, { ...ours, peer: at(documents) })] }).map(
        ({ where }) => where,
      )
    expect(of('disk')).toContain('10k: term, queries/CPU-s')
    expect(of('memory')).not.toContain('10k: term, queries/CPU-s')
  })

  it('takes a tenth for noise', () => {
    const at = (slowness: number) =>
      lossesOf({ searches: [searchResults(10_000, { ...ours, peer: { slowness } })] })
    const builds = (slowness: number) =>
      at(slowness).filter(({ where }) => where.startsWith('10k: build')).length
    expect([0.95, 0.85].map(builds)).toEqual([0, 1])
  })

  it('names collections on which a peer ranks better, with the interval', () => {
    const losses = lossesOf({
      searches: [],
      relevance: relevanceResults({ findling: 0.7, lunr: 0.705, other: 0.6 }),
    })
    expect(losses).toHaveLength(6) // two collections and both together, clean and misspelt
    expect(losses[0]).toEqual({
      where: 'esci-us-small, clean: nDCG@10',
      peer: 'lunr',
      theirs: '0.705',
      ours: '0.700',
      by: 'our lead -0.005 (-0.015 to +0.005)',
    })
  })
})
