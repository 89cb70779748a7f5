import type { DatasetMap } from 'findling'
import { describe, expect, it } from 'vitest'
import { openEngine } from '../engine/engines.ts'

const topics = {
  light: ['lamp', 'bulb', 'shade', 'dimmer', 'socket', 'chandelier', 'candle', 'lantern'],
  water: ['hose', 'nozzle', 'reel', 'sprinkler', 'pump', 'tap', 'bucket', 'barrel'],
  shoes: ['shoe', 'sole', 'lace', 'leather', 'heel', 'boot', 'sandal', 'slipper'],
  sound: ['speaker', 'headphone', 'amplifier', 'cable', 'vinyl', 'turntable', 'radio', 'microphone'],
}
type Topic = keyof typeof topics
const names = Object.keys(topics) as Topic[]

/** Repeatable, and unlike what the engine draws from. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function documentsOf(count: number) {
  const random = chance(3)
  return Array.from({ length: count }, (_, i) => {
    const topic = names[i % names.length]!
    const words = Array.from({ length: 5 }, () => topics[topic][Math.floor(random() * 8)]!)
    return { id: `d${i}`, title: words.join(' '), tag: [topic] }
  })
}

/**
 * How far what is near on a map is near in truth (Venna and Kaski, 2001), 1 at most: ranks of all by all, as the definition says.
 */
function trustworthiness(
  far: (i: number, j: number) => number,
  near: (i: number, j: number) => number,
  n: number,
) {
  const k = 12
  const ranked = (i: number, distance: (i: number, j: number) => number) =>
    Array.from({ length: n }, (_, j) => j)
      .filter(j => j !== i)
      .sort((a, b) => distance(i, a) - distance(i, b))
  let penalty = 0
  for (let i = 0; i < n; i++) {
    const ranks = new Map(ranked(i, far).map((j, rank) => [j, rank + 1]))
    for (const j of ranked(i, near).slice(0, k)) penalty += Math.max(0, ranks.get(j)! - k)
  }
  return 1 - (2 / (n * k * (2 * n - 3 * k - 1))) * penalty
}

function trustOf({ points }: DatasetMap, documents: readonly { id: string; title: string }[]): number {
  const wordsOf = new Map(documents.map(({ id, title }) => [id, new Set(title.split(' '))]))
  const sets = points.map(({ id }) => wordsOf.get(id)!)
  const far = (i: number, j: number) => {
    const shared = [...sets[i]!].filter(word => sets[j]!.has(word)).length
    return 1 - shared / Math.sqrt(sets[i]!.size * sets[j]!.size)
  }
  const near = (i: number, j: number) => Math.hypot(points[i]!.x - points[j]!.x, points[i]!.y - points[j]!.y)
  return trustworthiness(far, near, points.length)
}

describe('a map of documents', () => {
  it('has near each other what has the same words, and labels of the words of its parts', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    const documents = documentsOf(240)
    await shop.documents.bulk(documents)
    const steps: string[] = []
    const job = shop.map({ onProgress: ({ phase }) => steps.push(phase) })
    const map = await job
    expect(map).toMatchObject({ dataset: 'shop', of: 'documents', documents: 240 })
    expect(map.points.map(({ id, tagId }) => [id, tagId]).sort()).toEqual(
      documents.map(({ id, tag }) => [id, tag[0]]).sort(),
    )
    for (const { x, y } of map.points) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(1)
    const trust = trustOf(map, documents)
    expect(trust).toBeGreaterThan(0.85)
    const shuffled = map.points.map((point, i) => ({ ...point, id: map.points[(i * 7 + 1) % 240]!.id }))
    expect(trustOf({ ...map, points: shuffled }, documents)).toBeLessThan(0.7)
    expect(map.labels.length).toBeGreaterThanOrEqual(4)
    for (const { words, x, y } of map.labels) {
      const [topic] = names.filter(name => topics[name].includes(words[0]!))
      const nearest = map.points.toSorted(
        (a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y),
      )
      expect(nearest[0]!.tagId).toBe(topic)
    }
    expect(steps.at(-1)).toBe('finding places')
    expect(job.state.result).toEqual(map)
  }, 60_000)

  it('has labels in the spelling of most documents', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'], language: 'german' })
    const titles = [
      'Säge, Öl und Äxte',
      'SÄGE aus Öl, Äxte',
      'Sage Öl Äxte',
      'Türgriff, groß',
      'Türgriff weiß',
    ]
    await shop.documents.bulk(Array.from({ length: 60 }, (_, i) => ({ id: i, title: titles[i % 5]! })))
    const labels = (await shop.map()).labels.flatMap(({ words }) => words)
    expect(labels.length).toBeGreaterThan(0)
    for (const word of labels) expect(['säge', 'öl', 'äxte', 'türgriff', 'groß', 'weiß']).toContain(word)
  })

  it('is the same for the same seed, and another for another', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk(documentsOf(80))
    const [one, same, other] = [
      await shop.map({ seed: 4 }),
      await shop.map({ seed: 4 }),
      await shop.map({ seed: 5 }),
    ]
    expect(same.points).toEqual(one.points)
    expect(same.labels).toEqual(one.labels)
    expect(other.points).not.toEqual(one.points)
  })

  it('takes a sample of the size that was asked for, spread over all documents', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk(
      documentsOf(200).map((one, i) => ({ ...one, id: `d${String(i).padStart(3, '0')}` })),
    )
    const { documents, points } = await shop.map({ sample: 50 })
    expect(documents).toBe(50)
    const numbers = points.map(({ id }) => Number(id.slice(1)))
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, i) => 4 * i))
  })

  it('is there for few documents, for those without words and for none', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    expect(await shop.map()).toMatchObject({ documents: 0, points: [], labels: [] })
    await shop.documents.bulk([
      { id: 'a', title: 'lamp' },
      { id: 'b', title: 'lamp' },
      { id: 'c', title: '' },
      { id: 'd', title: '\ud800 \u0000' },
    ])
    const { points } = await shop.map()
    expect(points.map(({ id }) => id)).toEqual(['a', 'b'])
    for (const { x, y } of points) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true)
    await shop.documents.bulk(Array.from({ length: 40 }, (_, i) => ({ id: `s${i}`, title: 'lamp' })))
    const same = await shop.map()
    expect(same.points).toHaveLength(42)
    for (const { x, y } of same.points) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true)
  })

  it('can be cancelled, and refuses more points than it may have', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk(documentsOf(100))
    const cancelled = shop.map()
    cancelled.cancel()
    await expect(cancelled.finished).rejects.toMatchObject({ code: 'CANCELLED' })
    for (const options of [
      { sample: 5_001 },
      { sample: Number.NaN },
      { of: 'fields' },
      { seed: -1 },
      { size: 1 },
    ])
      expect(() => shop.map(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })
})

describe('a map of tags', () => {
  it('has a point for each tag, near those whose documents have similar words', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    const documents = documentsOf(320).map((one, i) => ({
      ...one,
      tag: [`${one.tag[0]}-${Math.floor(i / 4) % 5}`],
    }))
    await shop.documents.bulk(documents)
    const { points } = await shop.map({ of: 'tags' })
    expect(points.map(({ id }) => id).sort()).toEqual(
      [...new Set(documents.map(({ tag }) => tag[0]!))].sort(),
    )
    const topicOf = (id: string) => id.split('-')[0]
    const right = points.filter(point => {
      const [nearest] = points
        .filter(other => other !== point)
        .sort((a, b) => Math.hypot(a.x - point.x, a.y - point.y) - Math.hypot(b.x - point.x, b.y - point.y))
      return topicOf(nearest!.id) === topicOf(point.id)
    })
    expect(right.length).toBeGreaterThanOrEqual(18)
    expect('tagId' in points[0]!).toBe(false)
  })
})
