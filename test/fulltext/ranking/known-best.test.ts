import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blankBits, setBit } from '../../../src/arrays/set-bits.ts'
import type { Candidacy } from '../../../src/fulltext/matching/candidacy.ts'
import { rankBest } from '../../../src/fulltext/ranking/best-postings.ts'
import { KnownBest } from '../../../src/fulltext/ranking/known-best.ts'
import { rankList, rankNested } from '../../../src/fulltext/ranking/rank-any.ts'
import { TopK } from '../../../src/fulltext/ranking/top-k.ts'
import { LiveSegment } from '../../../src/fulltext/segments/live-segment.ts'
import type { PostingList } from '../../../src/fulltext/segments/posting-list.ts'
import { Segment } from '../../../src/fulltext/segments/segment.ts'

const DOCUMENTS = 400

/** Ids in an order of their own, and no words: lists are made beside it. */
function segmentOf(ranks: readonly number[]): LiveSegment<Segment> {
  const shape = {
    fields: 1,
    documents: DOCUMENTS,
    terms: 0,
    postings: 0,
    tokens: 0,
    followers: 0,
    idUnits: 0,
  }
  const body = new Uint8Array(4 + 4 * (DOCUMENTS + 1) + 4 * DOCUMENTS)
  const segment = new Segment(shape, body, new Uint8Array(0))
  segment.idRanks.set(ranks)
  return new LiveSegment(0, segment, 0)
}

interface Postings {
  readonly documents: Uint16Array
  readonly impacts: Uint8Array
}

function listOf({ documents, impacts }: Postings, weight: number): PostingList {
  const to = documents.length
  return { documents, impacts, from: 0, to, weight, bound: 255 * weight, sure: 0 }
}

const impact = fc.integer({ min: 170, max: 182 })

/** By document what it has of a family and, where not 0, of a form of it. */
const family = fc.array(fc.tuple(impact, fc.oneof(fc.constant(0), impact)), {
  minLength: DOCUMENTS,
  maxLength: DOCUMENTS,
})

function postingsOf(impacts: readonly number[]): Postings {
  const documents = [...impacts.keys()].filter(document => impacts[document] !== 0)
  return {
    documents: Uint16Array.from(documents),
    impacts: Uint8Array.from(documents, document => impacts[document]!),
  }
}

/** The weight of a form, and what is left when it goes four times into that of the family. */
const weights = fc.record({
  form: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 600_000, max: 700_000 })),
  rest: fc.integer({ min: -1, max: 3 }),
})

const asked = fc.record({
  weights,
  wanted: fc.integer({ min: 1, max: 40 }),
  gone: fc.array(fc.nat({ max: DOCUMENTS - 1 }), { maxLength: 120 }),
  isAlone: fc.boolean(),
})

const ranks = fc.shuffledSubarray([...Array(DOCUMENTS).keys()], { minLength: DOCUMENTS })

describe('the best postings of a word', () => {
  it('are those that reading its lists finds, whatever the weights were before and which documents are gone', () => {
    let known = 0
    fc.assert(
      fc.property(ranks, family, fc.array(asked, { minLength: 2, maxLength: 8 }), (order, impacts, all) => {
        const segments = [segmentOf(order)]
        const best = new KnownBest()
        const covering = postingsOf(impacts.map(([ofFamily]) => ofFamily))
        const form = postingsOf(impacts.map(([, ofForm]) => ofForm))
        for (const { weights, wanted, gone, isAlone } of all) {
          const cover = listOf(covering, 4 * weights.form + weights.rest)
          const exact = isAlone ? undefined : listOf(form, weights.form)
          const hidden = blankBits(DOCUMENTS)
          for (const document of gone) setBit(hidden, document)
          const candidacy: Candidacy = { base: 0, documents: DOCUMENTS, hidden, factors: undefined, most: 1 }
          const ranked = (rank: (top: TopK) => boolean) => {
            const top = new TopK()
            top.begin(wanted, segments)
            const isRanked = rank(top)
            top.sort()
            return isRanked && [...top.documents.subarray(0, top.size)].map((one, i) => [one, top.scores[i]])
          }
          best.of(cover, exact, wanted, 0, segments)
          const postings = best.of(cover, exact, wanted, 0, segments)
          const found = postings && ranked(top => rankBest(candidacy, postings, cover, exact, top))
          const read = ranked(top => {
            if (exact) rankNested(candidacy, cover, exact, top)
            else rankList(candidacy, cover, top)
            return true
          })
          if (!found) continue
          known++
          expect(found).toEqual(read)
        }
      }),
      { numRuns: 150 },
    )
    expect(known).toBeGreaterThan(150)
  })

  it('are read from the lists where few are left of them, many are wanted, there are few, or nobody has asked before', () => {
    const segments = [segmentOf([...Array(DOCUMENTS).keys()])]
    const best = new KnownBest()
    const list = listOf(postingsOf(Array.from({ length: DOCUMENTS }, (_, i) => 100 + (i % 100))), 7)
    expect(best.of(list, undefined, 1_000, 0, segments)).toBeUndefined()
    expect(best.of({ ...list, to: 8 }, undefined, 5, 0, segments)).toBeUndefined()
    expect(best.of(list, undefined, 1, 0, segments)).toBeUndefined()
    const hidden = blankBits(DOCUMENTS).fill(-1)
    const candidacy: Candidacy = { base: 0, documents: DOCUMENTS, hidden, factors: undefined, most: 1 }
    const top = new TopK()
    top.begin(1, segments)
    expect(rankBest(candidacy, best.of(list, undefined, 1, 0, segments)!, list, undefined, top)).toBe(false)
    expect(top.size).toBe(0)
  })
})
