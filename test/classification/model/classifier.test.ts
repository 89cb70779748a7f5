import { describe, expect, it } from 'vitest'
import { Classifier } from '../../../src/classification/model/classifier.ts'
import type { Example } from '../../../src/classification/model/corpus.ts'
import { randomStream } from '../../../src/classification/model/random.ts'
import { analyzer, catalogue, learn, loaded, run } from './learnt.ts'

const { examples, tags } = catalogue()
const some = examples.filter((_, i) => i % 4 === 0)
const model = learn(some, tags.length)
const classifier = loaded(model)
const texts = examples.filter((_, i) => i % 80 === 1).map(({ texts }) => texts.join(' '))

const shortAlone = texts.slice(0, 3).map(text => classifier.recommend(text))

const toy: Example[] = ['red apple pear', 'blue river lake', 'green forest tree', 'yellow sun moon'].flatMap(
  (words, tag) =>
    Array.from({ length: 12 }, (_, i) => ({
      texts: [`${words.split(' ')[i % 3]} and the ${words.split(' ')[(i + 1) % 3]} of number ${i}`],
      tags: [tag],
    })),
)

describe('recommend', () => {
  it('learns tags perfectly whose words are their own', () => {
    const learnt = loaded(learn(toy, 4))
    for (const { texts, tags } of toy) {
      const [first, ...others] = learnt.recommend(texts[0]!, { limit: 0 })
      expect(first).toMatchObject({ tag: tags[0] })
      expect(first!.score).toBeGreaterThan(0.8)
      expect(first!.margin).toBeGreaterThan(0)
      for (const { margin } of others) expect(margin).toBeLessThan(0)
    }
  })

  it('tells of documents that it has never seen', () => {
    const right = examples.filter(
      ({ texts, tags }, i) => i % 16 === 1 && tags.includes(classifier.recommend(texts.join(' '))[0]!.tag),
    )
    expect(right.length).toBeGreaterThan(0.95 * (examples.length / 16))
  })

  it('gives shares of 1 to all tags, likeliest first, and as many as are asked for', () => {
    for (const text of texts) {
      const all = classifier.recommend(text, { limit: 0 })
      expect(all.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(1, 9)
      expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).sort((a, b) => b - a))
      expect(classifier.recommend(text)).toEqual(all.slice(0, 3))
      expect(classifier.recommend(text, { limit: 7 })).toEqual(all.slice(0, 7))
    }
  })

  it('says of long texts that are read piece by piece, others in between, what it says of each alone', () => {
    const long = [0, 1, 2].map(part =>
      texts
        .filter((_, i) => i % 3 === part)
        .join('\n')
        .repeat(4),
    )
    for (const text of long) expect(text.length).toBeGreaterThan(4_096)
    const alone = long.map(text => classifier.recommend(text, { limit: 0 }))
    const explained = long.map((text, i) => classifier.explainer(text)(alone[i]![0]!.tag))
    const asked = long.map((text, i) =>
      (function* () {
        const found = yield* classifier.recommending(text, { limit: 0 })
        const explain = yield* classifier.explaining(text)
        return [found, yield* explain(alone[i]![0]!.tag)] as const
      })(),
    )
    const answers: unknown[] = []
    let turns = 0
    while (asked.some((_, i) => !(i in answers)))
      for (const [i, pieces] of asked.entries()) {
        if (i in answers) continue
        const { done, value } = pieces.next()
        if (done) answers[i] = value
        turns++
        expect(classifier.recommend(texts[i]!)).toEqual(shortAlone[i])
      }
    expect(turns).toBeGreaterThan(3 * 10)
    expect(answers).toEqual(alone.map((found, i) => [found, explained[i]]))
  })

  it('leaves out tags as if all had been asked for and then been filtered', () => {
    const next = randomStream(3)
    for (const text of texts) {
      const among = Uint8Array.from(tags, () => (next() < 0.3 ? 1 : 0))
      const wanted = classifier.recommend(text, { limit: 0 }).filter(({ tag }) => among[tag])
      expect(classifier.recommend(text, { limit: 5, among })).toEqual(wanted.slice(0, 5))
      const sum = wanted.reduce((sum, { score }) => sum + score, 0)
      const renormalised = classifier.recommend(text, { limit: 0, among, renormalise: true })
      expect(renormalised.map(({ tag }) => tag)).toEqual(wanted.map(({ tag }) => tag))
      for (const [i, { score }] of renormalised.entries()) {
        expect(score / (wanted[i]!.score / sum)).toBeCloseTo(1, 9)
      }
    }
  })

  it('takes an unknown word for a known one within one typo, and answers nothing where no word is like a known one', () => {
    const learnt = loaded(learn(toy, 4, { characters: false }))
    expect(learnt.recommend('aple')).toEqual(learnt.recommend('apple'))
    expect(learnt.recommend('rievr lake')).toEqual(learnt.recommend('river lake'))
    expect(learnt.recommend('apple zzyzx').map(({ tag }) => tag)[0]).toBe(0)
    for (const nothing of ['', ' … ', 'zzyzx qwertz', 'x', '77777', '\ud800', '__proto__'])
      expect(loaded(learn(toy, 4)).recommend(nothing)).toEqual([])
  })

  it('looks for typos in the first 2,000 words that it does not know', () => {
    const learnt = loaded(learn(toy, 4, { characters: false }))
    const unknown = Array.from({ length: 2_000 }, (_, i) => `zz${i.toString(36)}qx`)
    const typo = (before: number) => learnt.recommend(`${unknown.slice(0, before).join(' ')} aple`)
    expect(typo(1_999)).toEqual(learnt.recommend('apple'))
    expect(typo(2_000)).toEqual([])
    const known = learnt.recommend(`${unknown.join(' ')} apple`)
    expect(known).toEqual(learnt.recommend('apple'))
  })

  it('tells texts out of scope by their margins', () => {
    const inScope = texts.map(text => classifier.recommend(text, { limit: 1 })[0]!.margin)
    const nonsense = ['the and of with', 'is it true that you were there', 'this page was not found']
    const outside = nonsense.map(text => classifier.recommend(text, { limit: 1 })[0]?.margin ?? -1)
    const low = inScope.sort((a, b) => a - b)[Math.floor(inScope.length / 20)]!
    for (const margin of outside) expect(margin).toBeLessThan(low)
  })
})

describe('explain', () => {
  it('names parts that make the margin together, over single words, neighbours and characters', () => {
    const sizes = new Set<number>()
    for (const text of texts) {
      for (const { tag, margin } of classifier.recommend(text)) {
        const explained = classifier.explainer(text)(tag)!
        const sum = explained.evidence.reduce((sum, { weight }) => sum + weight, explained.bias)
        expect(Math.abs(sum - margin)).toBeLessThan(1e-6)
        expect(explained.margin).toBe(margin)
        for (const { words } of explained.evidence) sizes.add(words)
      }
    }
    expect([...sizes].sort()).toEqual([0, 1, 2])
  })

  it('finds the words that speak for a tag and against it', () => {
    const learnt = loaded(learn(toy, 4, { nGrams: [1], characters: false }))
    const { evidence } = learnt.explainer('the apple of the lake, aple')(0)!
    const weightOf = (word: string) => evidence.find(({ text }) => text === word)?.weight
    expect(evidence[0]!.text).toBe('apple')
    expect(weightOf('apple')).toBeGreaterThan(0.1)
    expect(weightOf('lake')).toBeLessThan(-0.1)
    expect(weightOf('aple')).toBeUndefined() // it was taken for apple
  })

  it('says nothing of tags without documents', () => {
    expect(loaded(learn(toy, 5)).explainer('apple')(4)).toBeUndefined()
  })
})

describe('n-grams', () => {
  it('count as chosen when a model is loaded', () => {
    const three = learn(toy, 4, { nGrams: [1, 2, 3] })
    const sizesWith = (nGrams: number[]) => {
      const chosen = loaded(three, { nGrams })
      return new Set(
        toy.flatMap(({ texts, tags }) =>
          chosen
            .explainer(texts[0]!)(tags[0]!)!
            .evidence.map(({ words }) => words),
        ),
      )
    }
    expect(sizesWith([1, 2, 3])).toEqual(new Set([0, 1, 2, 3]))
    expect(sizesWith([1])).toEqual(new Set([0, 1]))
    expect(sizesWith([3])).toEqual(new Set([0, 3]))
  })

  it('need no single words, which are known all the same', () => {
    const pairs = loaded(learn(toy, 4, { nGrams: [2], characters: false }))
    const { evidence } = pairs.explainer('red and the apple')(0)!
    expect(new Set(evidence.map(({ words }) => words))).toEqual(new Set([2]))
    expect(pairs.recommend('red and the apple')[0]!.tag).toBe(0)
    expect(pairs.recommend('zzyzx')).toEqual([])
  })
})

describe('add', () => {
  it('makes the tag of a document likelier for texts like it, at once', () => {
    const learnt = loaded(learn(toy, 4))
    const text = 'number of the moon'
    const before = learnt.recommend(text, { limit: 0 })
    for (let i = 0; i < 20; i++) learnt.add({ texts: ['number of the moon'], tags: [1, 1] })
    const after = learnt.recommend(text, { limit: 0 })
    const scoreOf = (answers: typeof after, tag: number) => answers.find(answer => answer.tag === tag)!
    expect(scoreOf(after, 1).score).toBeGreaterThan(2 * scoreOf(before, 1).score)
    expect(scoreOf(after, 1).margin).toBe(scoreOf(before, 1).margin)
  })

  it('takes no notice of tags that were not learnt, and of documents without known words', () => {
    const learnt = loaded(learn(toy, 5))
    const before = toy.map(({ texts }) => learnt.recommend(texts[0]!))
    learnt.add({ texts: ['apple'], tags: [4] })
    learnt.add({ texts: ['zzyzx', ''], tags: [0] })
    learnt.add({ texts: ['apple'], tags: [] })
    expect(toy.map(({ texts }) => learnt.recommend(texts[0]!))).toEqual(before)
  })
})

describe('few documents', () => {
  const answers = (examples: Example[], tagCount: number, text = 'apple pie') =>
    loaded(learn(examples, tagCount)).recommend(text, { limit: 0 })

  it('teach what they can', () => {
    expect(answers([], 0)).toEqual([])
    expect(answers([], 3)).toEqual([])
    expect(answers([{ texts: ['apple'], tags: [] }], 3)).toEqual([])
    expect(answers([{ texts: [], tags: [0] }], 1)).toEqual([])
    expect(answers([{ texts: ['', ' - '], tags: [0] }], 1)).toEqual([])
    expect(answers([{ texts: ['apple'], tags: [2] }], 3)).toMatchObject([{ tag: 2, score: 1 }])
    const two = [
      { texts: ['apple'], tags: [2] },
      { texts: ['river'], tags: [0] },
    ]
    expect(answers(two, 3)).toMatchObject([{ tag: 2 }, { tag: 0 }])
  })

  it('may be without text or tags among others', () => {
    const mixed = [
      ...toy,
      { texts: [''], tags: [0] },
      { texts: [], tags: [3] },
      { texts: ['apple'], tags: [] },
    ]
    expect(answers(mixed, 6, 'apple')[0]!.tag).toBe(0)
  })

  it('may have several tags', () => {
    const both = toy.map(example => ({ ...example, tags: [...example.tags, 4 + (example.tags[0]! % 2)] }))
    const list = answers(both, 6, 'red apple')
    expect(
      list
        .slice(0, 2)
        .map(({ tag }) => tag)
        .sort(),
    ).toEqual([0, 4])
    for (const { margin } of list.slice(0, 2)) expect(margin).toBeGreaterThan(0)
    for (const { margin } of list.slice(2)) expect(margin).toBeLessThan(0)
  })

  it('may have texts and words of any length', () => {
    const long = [
      { texts: ['apple '.repeat(100_000)], tags: [0] },
      { texts: ['b'.repeat(300_000)], tags: [1] },
    ]
    const learnt = loaded(learn([...long, ...toy], 4))
    expect(learnt.recommend('apple '.repeat(50_000))[0]!.tag).toBe(0)
    expect(learnt.recommend('b'.repeat(500))[0]!.tag).toBe(1)
  })
})

describe('loading', () => {
  it('comes in pieces that leave the model as it was', () => {
    const pieces = Classifier.load(model, analyzer)
    let count = 1
    while (!pieces.next().done) count++
    expect(count).toBeGreaterThan(3)
    const again = run(Classifier.load(model, analyzer))
    expect(texts.map(text => again.recommend(text))).toEqual(texts.map(text => classifier.recommend(text)))
  })
})
