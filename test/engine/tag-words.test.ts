import type { TagWordCounts } from 'findling'
import { describe, expect, it } from 'vitest'
import { wordsIn } from '../../src/analysis/plain-words.ts'
import { shownText } from '../../src/analysis/shown-text.ts'
import { codeOf, collected, failureOf, openEngine } from './engines.ts'

const names = ['Oak <b>lamp</b> of oak', 'Café lamp', 'Garden hose', 'LAMP of OAK', '']

async function openShop(documents = 300) {
  const engine = await openEngine()
  const dataset = await engine.datasets.create('shop', { interpretedFields: ['title', 'notes'] })
  for (const id of ['lamps', 'hoses', 'none']) await dataset.tags.create({ id, name: id, parentId: null })
  await dataset.tags.create({ id: 'desk', name: 'Desk', parentId: 'lamps' })
  const items = Array.from({ length: documents }, (_, i) => ({
    id: `p${i}`,
    title: names[i % names.length]!,
    notes: i % 3 === 0 ? ['made of oak', `number ${i}`] : ['oak'],
    tag: [['lamps', 'desk'], ['desk'], ['hoses', 'hoses'], ['lamps'], []][i % 5]!,
  }))
  await dataset.documents.bulk(items)
  return { engine, dataset, items }
}

const plain = (lists: readonly TagWordCounts[]) =>
  lists.map(({ tagId, nGram, words }) => ({ tagId, nGram, words: [...words] }))

describe('tags.words', () => {
  it('counts what reading all documents one after the other counts, never over the end of a text', async () => {
    const { dataset, items } = await openShop()
    const nGrams = [1, 3]
    const count = (size: number, tagId?: string) => {
      const counts = new Map<string, number>()
      for (const { title, notes, tag } of items) {
        if (tagId !== undefined && !tag.includes(tagId)) continue
        for (const words of [title, ...notes].map(text => wordsIn(shownText(text)))) {
          for (let at = 0; at + size <= words.length; at++) {
            const text = words.slice(at, at + size).join(' ')
            counts.set(text, (counts.get(text) ?? 0) + 1)
          }
        }
      }
      return counts
    }
    const found = plain(await collected(dataset.tags.words({ nGrams, tags: ['lamps', 'desk', 'none'] })))
    expect(found.map(({ tagId, nGram }) => `${nGram} ${tagId}`)).toEqual([
      '1 lamps',
      '1 desk',
      '1 none',
      '3 lamps',
      '3 desk',
      '3 none',
    ])
    for (const { tagId, nGram, words } of found) {
      const all = count(nGram)
      const right = [...count(nGram, tagId)].map(([text, inTag]) => ({
        text,
        inTag,
        inDataset: all.get(text),
      }))
      const byText = (a: { text: string }, b: { text: string }) => (a.text < b.text ? -1 : 1)
      expect([...words].sort(byText)).toEqual(right.sort(byText))
      expect(words).toEqual([...words].sort((a, b) => b.inTag - a.inTag))
    }
    expect(found[0]!.words[0]).toMatchObject({ text: 'oak' })
    expect(found[3]!.words.map(({ text }) => text)).toContain('lamp of oak')
  })

  it('takes the leaves where no tags are given, with as many words as tags.counts() says', async () => {
    const { dataset } = await openShop()
    const lists = plain(await collected(dataset.tags.words()))
    expect(lists.map(({ tagId }) => tagId).sort()).toEqual(['desk', 'hoses', 'none'])
    const counts = await dataset.tags.counts()
    for (const { tagId, words } of lists)
      expect(words.reduce((sum, { inTag }) => sum + inTag, 0)).toBe(counts.get(tagId)?.words)
  })

  it('keeps accents and case apart from words, and sees what was written last', async () => {
    const { dataset } = await openShop(5)
    await dataset.documents.upsert({ id: 'new', title: 'caf&eacute; CAFÉ Straße', tag: ['desk'] })
    const [list] = await collected(dataset.tags.words({ tags: ['desk'] }))
    const words = new Map([...list!.words].map(({ text, inTag }) => [text, inTag]))
    expect([words.get('café'), words.get('straße'), words.get('cafe')]).toEqual([3, 1, undefined])
  })

  it('is refused with what it does not accept', async () => {
    const { engine, dataset } = await openShop(5)
    const all = (options: object) => () => collected(dataset.tags.words(options))
    expect(await failureOf(all({ tags: ['desk', 'nothing'] }))).toMatchObject({
      code: 'TAG_NOT_FOUND',
      details: { field: 'tags[1]' },
    })
    for (const wrong of [{ nGrams: [4] }, { nGrams: [0] }, { nGrams: [] }, { limit: -1 }, { tag: 'desk' }])
      expect(await codeOf(all(wrong))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(() => dataset.tags.exportWords(undefined as never))).toBe('INVALID_ARGUMENT')
    expect(engine.jobs()).toEqual([])
  })
})

describe('tags.exportWords', () => {
  it('hands over the same lists and says how far it is', async () => {
    const { engine, dataset } = await openShop()
    const phases = new Set<string>()
    const lists: TagWordCounts[] = []
    const job = dataset.tags.exportWords(
      async given => {
        for await (const list of given) lists.push(list)
      },
      { nGrams: [1, 2], limit: 5, onProgress: ({ phase }) => phases.add(phase) },
    )
    expect(await job).toEqual({ tags: 3 })
    expect(plain(lists)).toEqual(plain(await collected(dataset.tags.words({ nGrams: [1, 2], limit: 5 }))))
    expect([...phases]).toEqual(['reading', 'counting', 'exporting'])
    expect(engine.job(job.id)).toMatchObject({ kind: 'words', status: 'finished', percent: 100 })
  })

  it('stops when it is cancelled, and fails with whoever takes the lists', async () => {
    const { dataset } = await openShop()
    const job = dataset.tags.exportWords(async lists => {
      for await (const _ of lists) job.cancel()
    })
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
    expect(job.state.status).toBe('cancelled')
    const full = dataset.tags.exportWords(async lists => {
      for await (const _ of lists) throw new Error('the disk is full')
    })
    await expect(full.finished).rejects.toThrow('the disk is full')
    const signal = AbortSignal.abort()
    expect(await codeOf(() => collected(dataset.tags.words({ signal })))).toBe('CANCELLED')
  })
})
