import assert from 'node:assert/strict'
import { type Attack, sample } from '../attack.ts'
import type { Target } from '../target.ts'

/** Parts of a query that are all different. */
const parts = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' OR ')

/** Asks in every way in which a filter can be asked; each answer is one of these statuses. */
async function filtered(target: Target, Query: string, statuses: readonly number[]): Promise<void> {
  const calls: [path: string, body: object][] = [
    ['/api/Documents/Filter', { Filter: { Query }, Pagination: { Limit: 1 } }],
    ['/api/Documents/Search', { Text: 'drill', Filter: { Query } }],
  ]
  for (const [path, body] of calls) {
    const { status, text } = await target.send('POST', path, { dataset: sample, body })
    assert.ok(statuses.includes(status), `${path}: ${status} ${text.slice(0, 300)}`)
    assert.ok(text.length < 100_000, `${path}: an answer of ${text.length} characters`)
  }
}

export const queryAttacks: readonly Attack[] = [
  {
    name: '6,000 patterns in a filter',
    run: target =>
      filtered(
        target,
        parts(6_000, i => `*a${i}*`),
        [400],
      ),
  },
  {
    name: '1,000 patterns in a filter, as many as are allowed',
    run: target =>
      filtered(
        target,
        parts(1_000, i => `*a${i}*`),
        [200, 503],
      ),
  },
  {
    name: '1,000 fuzzy words in a filter',
    run: target =>
      filtered(
        target,
        parts(1_000, i => `drlil${i}~2`),
        [200, 503],
      ),
  },
  {
    name: '1,000 patterns that fit nearly every word of a field that is not searched',
    run: target =>
      filtered(
        target,
        parts(1_000, i => `brand:*${'?'.repeat(1 + (i % 9))}*${i}`),
        [200, 503],
      ),
  },
  {
    name: 'a word with 300,000 wildcards, and one of 300,000 ligatures of 18 letters each',
    async run(target) {
      await filtered(target, '*?a'.repeat(100_000), [400])
      await filtered(target, '\ufdfa'.repeat(300_000), [400])
    },
  },
  {
    name: 'similar documents among 1,000 phrases with gaps',
    async run(target) {
      const Query = parts(1_000, i => `title:"a${i} b c"~900`)
      const body = { Text: 'cordless drill', Filter: Query }
      const { status, text } = await target.send('POST', '/api/Documents/Similar', { dataset: sample, body })
      assert.ok([200, 503].includes(status), `${status} ${text.slice(0, 300)}`)
    },
  },
  {
    name: 'completions of a letter with which 20,000 tags begin',
    async run(target) {
      const name = 'many-tags'
      const settings = { IdField: 'id', TagField: 'tag', InterpretedFields: ['title'], NGramCount: 1 }
      const SampleDocument = { id: '1', title: 'a', tag: ['N1'] }
      await target.send('POST', '/api/DataSets', { body: { Name: name, SampleDocument, ...settings } })
      const Tags = Array.from({ length: 20_000 }, (_, i) => ({ Id: `N${i}`, Name: `N${i}`, ParentId: null }))
      await target.send('POST', '/api/Tags/Bulk', { dataset: name, body: { Tags } })
      for (const Text of ['n', 'n1', 'm12']) {
        const body = { Text, Kinds: ['Tag'] }
        const { status } = await target.send('POST', '/api/Documents/Complete', { dataset: name, body })
        assert.equal(status, 200)
      }
    },
  },
  {
    name: '1,000 misspelt words in a search',
    async run(target) {
      const Text = Array.from({ length: 1_000 }, (_, i) => `cordlss${i.toString(26)}dril`).join(' ')
      const { status } = await target.send('POST', '/api/Documents/Search', {
        dataset: sample,
        body: { Text },
      })
      assert.equal(status, 200)
    },
  },
]
