import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { QueryOptions } from '../../../src/fulltext/searching/text-query.ts'
import { compact } from '../../../src/fulltext/segments/compaction.ts'
import { SURE_DOCUMENTS } from '../../../src/fulltext/segments/segment.ts'
import { DIMENSIONS } from '../../../src/fulltext/topics/topic-model.ts'
import { trainTopics } from '../../../src/fulltext/topics/training.ts'
import { sequence } from '../dictionary/made-terms.ts'
import { IndexBlobs } from '../index-blobs.ts'

const options = {
  analyzer: analyzerFor('english'),
  fields: [
    { weight: 4, b: 0.6 },
    { weight: 1, b: 0.7 },
  ],
}

const next = sequence(11)
const below = (limit: number) => Math.floor((next() / 2 ** 32) * limit)

/** Words that come together, and two that all may have. */
const subjects = [
  'pan pot lid spoon oven stove kettle whisk ladle grater',
  'tent rope hook lantern stove boots compass rucksack axe flask',
  'lens tripod strap flash filter battery shutter frame print album',
].map(words => words.split(' '))
const some = (words: readonly string[], count: number) =>
  Array.from({ length: count }, () => words[below(words.length)]!).join(' ')

function documents(count: number): [id: string, texts: [string, string]][] {
  return Array.from({ length: count }, (_, i) => {
    const words = subjects[i % subjects.length]!
    const common = i % 7 === 0 ? ' steel ring' : i % 7 === 1 ? ' steel' : ''
    return [`d${i}`, [`${some(words, 3)}${common}`, `${some(words, 12)} the`]]
  })
}

function indexOf(made: Iterable<readonly [string, [string, string]]>): FulltextIndex {
  const index = new FulltextIndex({ ...options, tailDocuments: 500 })
  for (const [id, texts] of made) index.add(id, texts)
  return index
}

function train(index: FulltextIndex): void {
  expect(index.adoptTopics(trainTopics(structuredClone(index.planTopics())))).toBe(true)
}

function trained(made: Iterable<readonly [string, [string, string]]>): FulltextIndex {
  const index = indexOf(made)
  train(index)
  return index
}

function hits(index: FulltextIndex, query: string, asked: Partial<QueryOptions> = {}) {
  return index.search(query, { limit: 2000, operator: 'or', typoTolerance: 0, explain: true, ...asked }).hits
}

const subjectOf = (id: string) => Number(id.slice(1)) % subjects.length

const catalogue = documents(1200)
const index = trained(catalogue)

describe('topics', () => {
  it('raise documents that are about the same as the best', () => {
    for (const { id, explanation } of hits(index, 'whisk ladle steel ring').slice(0, SURE_DOCUMENTS)) {
      if (subjectOf(id) === 0) expect(explanation!.topicFactor).toBeGreaterThan(1.3)
      else expect(explanation!.topicFactor).toBeLessThan(1.3)
    }
  })

  it('are in the explained score, of the first hits of a query of several words', () => {
    for (const query of [
      'tent stove',
      'steel ring stove',
      'pan without lid',
      '"steel ring" stove',
      'the stove ring',
    ]) {
      for (const [rank, { score, explanation }] of hits(index, query).entries()) {
        const { words, titleFactor, negationFactor, topicFactor } = explanation!
        const sum = words.reduce((all, word) => all + word.score, 0)
        expect((sum * titleFactor * negationFactor * topicFactor) / score).toBeCloseTo(1, 6)
        if (rank >= SURE_DOCUMENTS) expect(topicFactor).toBe(1)
        expect(topicFactor).toBeLessThanOrEqual(2.5)
      }
    }
    for (const { explanation } of hits(index, 'stove')) expect(explanation!.topicFactor).toBe(1)
  })

  it('weigh as the definition says, computed from vectors of the documents', () => {
    // Of documents that are alike the cosine is 1.
    const alike = trained(
      Array.from({ length: 1000 }, (_, i) => [`d${i}`, ['oak table lamp', 'the chair']] as const),
    )
    for (const [query, content] of [
      ['oak table', 2],
      ['the oak table', 2],
      ['oak table lamp chair', 4],
    ] as const) {
      const [first] = hits(alike, query)
      expect(first!.explanation!.topicFactor).toBeCloseTo(1 + 0.2 * (content - 0.5), 6)
    }
  })

  it('give each hit once, the same and in descending order, on whatever pages it is read', () => {
    for (const operator of ['or', 'and'] as const) {
      for (const query of ['stove steel', 'pan pot lid ring', 'stove without steel', '"steel ring"~2 oven']) {
        const all = hits(index, query, { operator })
        const scores = all.map(({ score }) => score)
        expect(scores).toEqual(scores.toSorted((a, b) => b - a))
        for (const limit of [3, 10, 24, 25, 65]) {
          const paged: typeof all = []
          for (let offset = 0; offset < Math.min(all.length, 300); offset += limit)
            paged.push(...hits(index, query, { operator, limit, offset }))
          expect(paged).toEqual(all.slice(0, paged.length))
        }
      }
    }
  })

  it('are the same whenever they are found, and however the index is made up', () => {
    const other = indexOf(catalogue)
    for (let task = other.planCompaction(true); task; task = other.planCompaction(true))
      other.adopt(compact(task))
    train(other)
    const again = trainTopics(other.planTopics())
    expect(again.body).toEqual(trainTopics(index.planTopics()).body)
    for (const query of ['tent stove', 'steel ring stove']) {
      const ids = hits(other, query).map(({ id }) => id)
      expect(ids).toEqual(hits(index, query).map(({ id }) => id))
    }
  })

  it('are stored with the index, and loaded as they were', () => {
    const blobs = new IndexBlobs()
    const loaded = blobs.load(options, blobs.save(index))
    expect(loaded.wantsTopics).toBe(false)
    for (const query of ['tent stove', 'steel ring stove', 'stove'])
      expect(hits(loaded, query)).toEqual(hits(index, query))
    expect(blobs.save(loaded).topics).toEqual(index.save().contents.topics)
    loaded.forgetTopics()
    const forgotten = blobs.load(options, blobs.save(loaded))
    expect(hits(forgotten, 'tent stove')).toEqual(hits(index, 'tent stove', { topics: false }))
  })

  it('know documents that came since, and those that became others', () => {
    const changing = trained(catalogue)
    changing.add('new', ['steel ring', 'whisk ladle grater oven'])
    changing.add('d0', ['steel ring whisk', 'tent rope boots flask rucksack'])
    const factor = (id: string) =>
      hits(changing, 'whisk ladle steel ring').find(hit => hit.id === id)!.explanation!.topicFactor
    expect(factor('new')).toBeGreaterThan(1.3)
    expect(factor('d0')).toBeLessThan(factor('new'))
    changing.remove('new')
    expect(hits(changing, 'whisk ladle steel ring').some(({ id }) => id === 'new')).toBe(false)
  })

  it('are due among a thousand documents, and when there are twice or half as many', () => {
    const growing = indexOf(documents(999))
    expect(growing.wantsTopics).toBe(false)
    growing.add('last', ['pan', 'pot'])
    expect(growing.wantsTopics).toBe(true)
    train(growing)
    expect(growing.wantsTopics).toBe(false)
    for (const [id, texts] of documents(2001).slice(999)) growing.add(id, texts)
    expect(growing.wantsTopics).toBe(true)
    train(growing)
    for (let i = 0; i < 1000; i++) growing.remove(`d${i}`)
    expect(growing.wantsTopics).toBe(false)
    growing.forgetTopics()
    expect(growing.wantsTopics).toBe(true)
  })

  it('are taken of the newest task alone', () => {
    const twice = indexOf(catalogue)
    const first = twice.planTopics()
    const second = twice.planTopics()
    expect(twice.adoptTopics(trainTopics(first))).toBe(false)
    expect(twice.adoptTopics(trainTopics(second))).toBe(true)
    const third = twice.planTopics()
    twice.forgetTopics()
    expect(twice.adoptTopics(trainTopics(third))).toBe(false)
  })

  it('of documents without a word in common, or without any, change nothing', () => {
    const apart = trained(
      Array.from({ length: 1000 }, (_, i) => [`d${i}`, [i < 500 ? `w${i}x v${i}x` : '', '']] as const),
    )
    expect(apart.save().contents.topics!.shape.terms).toBe(0)
    expect(hits(apart, 'w3x v7x').map(({ id, explanation }) => [id, explanation!.topicFactor])).toEqual([
      ['d3', 1],
      ['d7', 1],
    ])
  })

  it(`take ${DIMENSIONS} bytes a document and four for their length`, () => {
    const fresh = trained(catalogue)
    const { terms } = fresh.save().contents.topics!.shape
    const queries = subjects.flat().map(word => `${word} steel`)
    for (const query of queries) hits(fresh, query, { topics: false })
    const before = fresh.bytes
    expect(terms).toBeGreaterThan(25)
    for (const query of queries) hits(fresh, query)
    expect(fresh.bytes - before).toBe(1200 * (DIMENSIONS + 4))
  })
})
