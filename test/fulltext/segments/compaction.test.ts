import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { ColumnValue } from '../../../src/fulltext/segments/columns/columns.ts'
import { type CompactionTask, compact } from '../../../src/fulltext/segments/compaction.ts'

const options = { analyzer: analyzerFor('english'), fields: [{ weight: 1, b: 0.5 }], tailDocuments: 1100 }

function found(index: FulltextIndex, query: string): string[] {
  return index.search(query, { limit: 100_000, operator: 'and', typoTolerance: 0 }).hits.map(({ id }) => id)
}

/** Fifteen segments of up to 1,100 documents, which are two words long; the last three are too young to be merged. */
function indexOfMany(): FulltextIndex {
  const index = new FulltextIndex(options)
  for (let i = 0; i < 16_384; i++) index.add(`d${i}`, [`lamp number${i}`])
  expect(segmentsOf(index)).toHaveLength(15)
  return index
}

function planned(index: FulltextIndex, kind: CompactionTask['kind']): CompactionTask {
  const task = index.planCompaction()
  expect(task?.kind).toBe(kind)
  return task!
}

function addAndFind(index: FulltextIndex, id: string): void {
  index.add(id, [`lamp ${id}`])
  expect(found(index, id)).toEqual([id])
}

function segmentsOf(index: FulltextIndex): number[] {
  return index.save().contents.segments.map(({ shape }) => shape.documents)
}

describe('planCompaction', () => {
  it('has nothing to do for a small index', () => {
    const index = new FulltextIndex(options)
    for (let i = 0; i < 4000; i++) {
      index.add(`d${i}`, ['lamp'])
      if (i % 100 === 0) found(index, 'lamp')
    }
    expect(index.planCompaction()).toBeUndefined()
  })

  it('joins segments until nothing is left to do, in a task that survives structured cloning', () => {
    const index = indexOfMany()
    const task = structuredClone(planned(index, 'merge'))
    const before = found(index, 'lamp')
    expect(index.adopt(structuredClone(compact(task)))).toBe(true)
    expect(segmentsOf(index)).toEqual([13_200, 1100, 1100, 984])
    expect(found(index, 'lamp')).toEqual(before)
    expect(index.planCompaction()).toBeUndefined()
  })

  it('joins the newest segments once searches have looked into them for long, whatever is written meanwhile', () => {
    const index = new FulltextIndex({ ...options, tailDocuments: 4096 })
    for (let i = 0; i < 6000; i++) index.add(`d${i}`, [`lamp number${i}`])
    found(index, 'lamp')
    expect(segmentsOf(index)).toEqual([4096, 1904])
    for (let searches = 0; searches < 19_490; searches++) found(index, 'number7')
    expect(index.planCompaction()).toBeUndefined()
    for (let searches = 0; searches < 20; searches++) found(index, 'number7')
    const result = compact(planned(index, 'merge'))
    for (let i = 0; i < 600; i++) addAndFind(index, `new${i}`)
    for (let i = 0; i < 600; i++) index.remove(`d${i}`)
    expect(index.adopt(result)).toBe(true)
    expect(segmentsOf(index)[0]).toBe(6000)
    expect(found(index, 'lamp').sort()).toEqual(
      [
        ...Array.from({ length: 5400 }, (_, i) => `d${600 + i}`),
        ...Array.from({ length: 600 }, (_, i) => `new${i}`),
      ].sort(),
    )
    expect(index.planCompaction()).toBeUndefined()
  })

  it('leaves to the next search after a write what searches have paid for and takes less time than a task', () => {
    const index = new FulltextIndex(options)
    for (let i = 0; i < 1100; i++) index.add(`d${i}`, ['lamp'])
    for (const documents of [100, 20, 1]) {
      for (let i = 0; i < documents; i++) index.add(`${documents}-${i}`, ['lamp'])
      found(index, 'lamp')
    }
    expect(segmentsOf(index)).toEqual([1100, 100, 20, 1])
    index.looked(80)
    addAndFind(index, 'too soon')
    expect(segmentsOf(index)).toEqual([1100, 100, 20, 1, 1])
    index.looked(30)
    addAndFind(index, 'later')
    expect(segmentsOf(index)).toEqual([1100, 100, 23])
    const before = found(index, 'lamp')
    index.looked(450)
    index.remove('20-7')
    expect(index.isCompactionDue).toBe(false)
    expect(found(index, 'lamp')).toEqual(before.filter(id => id !== '20-7'))
    expect(segmentsOf(index)).toEqual([1100, 122])
  })

  it('lets nothing else merge the segments of a task until its result is there, or it is given up', () => {
    const index = new FulltextIndex(options)
    for (const documents of [1100, 100, 20]) {
      for (let i = 0; i < documents; i++) index.add(`${documents}-${i}`, ['lamp lamp'])
      found(index, 'lamp')
    }
    index.looked(6_000)
    const task = planned(index, 'merge')
    for (let i = 0; i < 50; i++) {
      if (i < 15) index.remove(`20-${i}`)
      addAndFind(index, `new${i}`)
      expect(segmentsOf(index).slice(0, 3)).toEqual([1100, 100, 20])
    }
    expect(index.isCompactionDue).toBe(true)
    expect(index.adopt(compact(task))).toBe(true)
    expect(segmentsOf(index)[0]).toBe(1220)
    expect(found(index, 'lamp')).toHaveLength(1255)

    index.looked(6_000)
    const given = compact(planned(index, 'merge'))
    index.dropCompaction()
    expect(index.adopt(given)).toBe(false)
    addAndFind(index, 'last')
    expect(segmentsOf(index)).toEqual([1220, 51])
  })

  it('does not leave to a search what takes long since documents have many values', () => {
    const index = new FulltextIndex(options)
    const values = (of: number, length = 900): ColumnValue[] =>
      Array.from({ length }, (_, f) => ({ name: `field${f}`, kind: 'number', value: of * f }))
    for (const id of ['a', 'b']) {
      index.add(id, ['lamp'], values(1, 400))
      found(index, 'lamp')
    }
    index.looked(100)
    addAndFind(index, 'c')
    expect(segmentsOf(index)).toEqual([1, 1, 1])
    for (let i = 0; i < 200; i++) {
      index.add(`d${i}`, ['lamp'], values(i))
      index.looked(50)
    }
    // 4,096 typical documents of 256 bytes are merged at once: those are 145 documents of 900 numbers.
    expect(Math.max(...segmentsOf(index))).toBeLessThan(146)
    index.looked(20_000)
    index.adopt(compact(planned(index, 'merge')))
    expect(segmentsOf(index)).toEqual([203])
  })

  it('makes documents of many values searchable soon, since they are as much work as many documents', () => {
    const index = new FulltextIndex({ ...options, tailDocuments: 4096 })
    const values = (of: number) =>
      Array.from(
        { length: 10_000 },
        (_, i): ColumnValue => ({ name: 'labels', kind: 'text', value: `label ${of} ${i}` }),
      )
    let documents = 0
    for (; !index.isFull; documents++) index.add(`d${documents}`, ['lamp'], values(documents))
    expect(documents).toBeGreaterThan(4)
    expect(documents).toBeLessThan(6)
    for (let i = 0; i < 12; i++) index.add(`e${i}`, ['lamp'], values(100 + i))
    expect(segmentsOf(index)).toEqual([5, 5, 5, 2])
  })

  it('says whether there is something to do, without preparing it', () => {
    const index = indexOfMany()
    while (index.isCompactionDue) {
      const task = planned(index, 'merge')
      expect(index.isCompactionDue).toBe(true)
      expect(index.adopt(compact(task))).toBe(true)
    }
    expect(index.planCompaction()).toBeUndefined()
  })

  it('joins all that one segment has room for when there are to be few, the newest documents among them', () => {
    const index = indexOfMany()
    const before = found(index, 'lamp')
    for (let i = 0; i < 10; i++) index.add(`new${i}`, ['lamp'])
    for (let task = index.planCompaction(true); task; task = index.planCompaction(true))
      expect(index.adopt(compact(task))).toBe(true)
    expect(segmentsOf(index)).toEqual([16_394])
    const added = Array.from({ length: 10 }, (_, i) => `new${i}`)
    expect(found(index, 'lamp').sort()).toEqual([...before, ...added].sort())
  })

  it('does not copy the memory of large segments into the task', () => {
    for (const { body, scores, forward } of planned(indexOfMany(), 'merge').segments) {
      for (const bytes of [body, scores, forward]) expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer)
    }
  })

  it('makes the base of a family that came later part of it, in a task that survives structured cloning', () => {
    const index = new FulltextIndex(options)
    for (let i = 0; i < 16_384; i++) index.add(`d${i}`, [i < 8192 ? 'lamp' : `lamps number${i}`])
    found(index, 'lamp')
    index.adopt(structuredClone(compact(structuredClone(planned(index, 'rescore')))))
    const task = structuredClone(planned(index, 'merge'))
    for (let i = 0; i < 9000; i += 3) index.remove(`d${i}`)
    expect(index.adopt(structuredClone(compact(task)))).toBe(true)
    const search = { limit: 20_000, operator: 'and', typoTolerance: 0, explain: true } as const
    for (const word of ['lamp', 'lamping']) {
      const { hits, words } = index.search(word, search)
      expect(hits).toHaveLength(13_384)
      expect(words[0]!.idf).toBeCloseTo(Math.log(1 + 0.5 / 13_384.5), 10)
    }
  })

  it('purges a segment that is mostly dead', () => {
    const index = indexOfMany()
    index.adopt(compact(planned(index, 'merge')))
    for (let i = 0; i < 8500; i++) index.remove(`d${i}`)
    for (let task = index.planCompaction(); task; task = index.planCompaction()) index.adopt(compact(task))
    expect(segmentsOf(index)).toEqual([4700, 1100, 1100, 984])
    expect(found(index, 'lamp')).toHaveLength(7884)
  })

  it('keeps the length statistics when documents are hardly longer than before', () => {
    const index = indexOfMany()
    for (let i = 0; i < 100; i++) index.add(`long${i}`, ['lamp lamp lamp'])
    found(index, 'lamp')
    expect(planned(index, 'merge')).toBeDefined()
  })

  it('renews the length statistics when the index has doubled or halved', () => {
    const index = indexOfMany()
    index.adopt(compact(planned(index, 'merge')))
    for (let i = 16_384; i < 32_769; i++) index.add(`d${i}`, ['lamp lamp lamp lamp'])
    found(index, 'lamp')
    index.adopt(compact(planned(index, 'rescore')))
    expect(index.planCompaction()?.kind).not.toBe('rescore')
    for (let i = 0; i < 16_385; i++) index.remove(`d${i}`)
    planned(index, 'rescore')
  })

  it('leaves scores as those of an index built at once, once all is done', () => {
    const index = indexOfMany()
    index.adopt(compact(planned(index, 'merge')))
    const fresh = new FulltextIndex(options)
    for (let i = 0; i < 16_384; i++) fresh.add(`d${i}`, [`lamp number${i}`])
    found(fresh, 'lamp')
    for (let task = fresh.planCompaction(); task; task = fresh.planCompaction()) fresh.adopt(compact(task))
    const search = { limit: 100, operator: 'or', typoTolerance: 0 } as const
    expect(index.search('lamp number4711', search)).toEqual(fresh.search('lamp number4711', search))
  })
})

describe('adopt', () => {
  it('keeps documents removed that were removed while the task ran', () => {
    const index = indexOfMany()
    index.remove('d1')
    const task = planned(index, 'merge')
    index.remove('d2')
    index.add('d3', ['chair'])
    const result = compact(task)
    index.remove('d4')
    index.add('d5', ['chair'])
    expect(index.adopt(result)).toBe(true)
    expect(index.size).toBe(16_381)
    for (const id of ['d1', 'd2', 'd4']) expect(index.has(id)).toBe(false)
    expect(found(index, 'chair')).toEqual(['d3', 'd5'])
    expect(found(index, 'lamp')).toHaveLength(16_379)
    expect(index.remove('d3')).toBe(true)
    expect(index.has('d3')).toBe(false)
  })

  it('keeps counting documents per word exactly', () => {
    const index = indexOfMany()
    for (let i = 0; i < 300; i += 2) index.remove(`d${i}`)
    const task = planned(index, 'merge')
    for (let i = 0; i < 300; i += 3) index.remove(`d${i}`)
    for (let i = 0; i < 200; i++) index.add(`d${i}`, [i % 5 === 0 ? 'chair' : 'chairs lamp'])
    expect(index.adopt(compact(task))).toBe(true)
    for (let i = 100; i < 200; i++) index.remove(`d${i}`)
    const idf = (having: number) => Math.log(1 + (index.size - having + 0.5) / (having + 0.5))
    const { words } = index.search('chair chairing lamp lamps number16000 number0', {
      limit: 1,
      operator: 'or',
      typoTolerance: 0,
    })
    const lamps = found(index, 'lamp').length
    for (const [i, having] of [100, 100, lamps, lamps, 1].entries())
      expect(words[i]!.idf).toBeCloseTo(idf(having), 10)
    expect(words[5]!.kind).toBe('none')
  })

  it('keeps the new version of a document replaced before the task and again after it', () => {
    const index = indexOfMany()
    index.add('d1', ['lamp chair'])
    found(index, 'lamp')
    const task = planned(index, 'merge')
    index.add('d1', ['lamp sofa'])
    expect(index.adopt(compact(task))).toBe(true)
    expect(found(index, 'lamp sofa')).toEqual(['d1'])
    expect(found(index, 'chair')).toEqual([])
    expect(found(index, 'lamp')).toHaveLength(16_384)
  })

  it('takes a merge although documents were added and searched one by one all the while', () => {
    const index = indexOfMany()
    for (let i = 0; i < 40; i++) addAndFind(index, `early${i}`)
    const result = compact(planned(index, 'merge'))
    for (let i = 0; i < 200; i++) addAndFind(index, `late${i}`)
    expect(index.adopt(result)).toBe(true)
    expect(found(index, 'lamp')).toHaveLength(16_624)
  })

  it('takes every merge of many rounds and so keeps segments few', () => {
    const index = indexOfMany()
    let merges = 0
    for (let round = 0; round < 45; round++) {
      const task = index.planCompaction()
      for (let i = 0; i < 200; i++) addAndFind(index, `x${200 * round + i}`)
      if (task) expect(index.adopt(compact(task))).toBe(true)
      if (task?.kind === 'merge') merges++
      expect(segmentsOf(index).length).toBeLessThan(30)
    }
    expect(merges).toBeGreaterThan(1)
    expect(index.size).toBe(25_384)
  })

  it('refuses a result whose segments are gone, and changes nothing', () => {
    const index = indexOfMany()
    const result = compact(planned(index, 'merge'))
    expect(index.adopt(result)).toBe(true)
    expect(index.adopt(result)).toBe(false)
    expect(found(index, 'lamp')).toHaveLength(16_384)
  })

  it('refuses a merge that was scored with length statistics of the past', () => {
    const index = indexOfMany()
    const merge = compact(planned(index, 'merge'))
    for (let i = 16_384; i < 33_000; i++) index.add(`d${i}`, ['lamp'])
    found(index, 'lamp')
    expect(index.adopt(compact(planned(index, 'rescore')))).toBe(true)
    expect(index.adopt(merge)).toBe(false)
    expect(found(index, 'lamp')).toHaveLength(33_000)
  })

  it('rescores what was written while new statistics were computed', () => {
    const index = new FulltextIndex(options)
    for (let i = 0; i < 9000; i++) index.add(`d${i}`, [i < 1000 ? 'lamp lamp lamp' : 'lamp'])
    found(index, 'lamp')
    const task = planned(index, 'rescore')
    index.add('late', ['lamp'])
    found(index, 'lamp')
    expect(index.adopt(compact(task))).toBe(true)
    const { hits } = index.search('lamp', { limit: 10_000, operator: 'or', typoTolerance: 0 })
    expect(hits).toHaveLength(9001)
    expect(new Set(hits.map(({ score }) => score)).size).toBe(2)
    const scoreOf = (sought: string) => hits.find(({ id }) => id === sought)!.score
    expect(scoreOf('late')).toBe(scoreOf('d8999'))
  })
})
