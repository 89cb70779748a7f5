import assert from 'node:assert/strict'
import type { Attack } from '../attack.ts'
import type { Target } from '../target.ts'

interface Found {
  readonly QueryId?: string
  readonly Hits: readonly { readonly Id: string }[]
  readonly Words: readonly { readonly Kind: string }[]
  readonly Total: { readonly Count: number; readonly Exact: boolean }
  readonly Relaxed?: readonly string[]
  readonly Facets?: unknown
}

const dataset = 'hidden-documents'
const shown = Array.from({ length: 90 }, (_, i) => ({
  id: `shown-${i}`,
  title: `${['garden', 'kitchen', 'desk'][i % 3]} lamp number${i % 9}`,
  brand: ['acme', 'bolt'][i % 2],
  active: true,
  tag: ['open'],
}))
/** The words that are to be found out, among them mistakes near words that are shown. */
const secret = 'merger lamp gardem kitchenn zeppelin'
const hidden = Array.from({ length: 270 }, (_, i) => ({
  id: `hidden-${i}`,
  title: `${secret.split(' ')[i % 5]} ${secret.split(' ')[(i >> 2) % 5]} desk`,
  brand: 'undisclosed',
  active: false,
  tag: ['secret'],
}))

/** A key that sees one document in four; who attacks knows what is shown and guesses at the others. */
const made = new WeakMap<Target, Promise<string>>()
const prepared = (target: Target): Promise<string> => {
  const known = made.get(target) ?? prepare(target)
  made.set(target, known)
  return known
}

async function prepare(target: Target): Promise<string> {
  const settings = { IdField: 'id', TagField: 'tag', InterpretedFields: ['title'], NGramCount: 3 }
  await target.send('POST', '/api/DataSets', {
    body: { Name: dataset, SampleDocument: shown[0], ...settings },
  })
  const bulk = { Documents: [...shown, ...hidden] }
  const { status, text } = await target.send('POST', '/api/Documents/Bulk', { dataset, body: bulk })
  assert.equal(status, 200, text.slice(0, 300))
  assert.ok(!text.includes('"StatusCode":4'), text.slice(0, 300))
  return await target.key({ Scopes: ['Search', 'Read'], DataSets: [dataset], Filter: 'active:true' })
}

const search = (target: Target, key: string, body: object): Promise<Found> =>
  target.json('POST', '/api/Documents/Search', { dataset, key, body: { Limit: 1_000, ...body } })

/** Whatever an answer says but scores, order and its own id, without the word that was asked for. */
async function told(target: Target, key: string, word: string, more: object): Promise<string> {
  const { Hits, QueryId, ...others } = await search(target, key, { Text: `lamp ${word}`, ...more })
  const ids = Hits.map(({ Id }) => Id).sort()
  return JSON.stringify({ ids, ...others }).replaceAll(word, '?')
}

export const hiddenDocumentAttacks: readonly Attack[] = [
  {
    name: 'probing for words of hidden documents',
    run: async target => {
      const key = await prepared(target)
      const ways = [
        {},
        { Operator: 'And', Relax: true },
        { Prefix: true },
        { Total: 'Exact', Facets: ['brand', { Field: 'active', Disjunctive: true }] },
        { Limit: 0 },
      ]
      for (const word of ['merger', 'zeppelin', 'undisclosed'])
        for (const more of ways)
          assert.equal(await told(target, key, word, more), await told(target, key, 'xqzvjw', more))
      // What only hidden documents spell so keeps nothing from being found.
      for (const [typed, meant] of [
        ['gardem', 'garden'],
        ['kitchenn', 'kitchen'],
      ] as const) {
        const { Hits, Words } = await search(target, key, { Text: typed })
        assert.deepEqual([Hits.length, Words[0]?.Kind], [30, 'Typo'], `${typed} for ${meant}`)
      }
      for (const Text of ['merg', 'zepp', 'undis']) {
        const complete = { dataset, key, body: { Text } }
        const { Completions } = await target.json<{ Completions: unknown[] }>(
          'POST',
          '/api/Documents/Complete',
          complete,
        )
        assert.deepEqual(Completions, [])
        const suggest = { dataset, key, body: { Text: `${Text}r lamp`, Confidence: 0 } }
        const { text } = await target.send('POST', '/api/Documents/Suggest', suggest)
        assert.ok(!/merger|zeppelin|undisclosed/.test(text), text)
      }
    },
  },
  {
    name: 'counting hidden documents',
    run: async target => {
      const key = await prepared(target)
      for (const Text of ['lamp', 'desk lamp', 'lamp merger', 'desk -lamp', '"desk lamp"', 'gardem desk'])
        for (const Operator of ['Or', 'And']) {
          const all = await search(target, key, { Text, Operator })
          const first = await search(target, key, { Text, Operator, Limit: 1 })
          assert.deepEqual(first.Total, { Count: all.Hits.length, Exact: true }, Text)
          assert.ok(all.Hits.every(({ Id }) => Id.startsWith('shown-')))
        }
      const page = { Filter: { Query: 'brand:undisclosed OR active:false' }, Pagination: { Limit: 5 } }
      const listed = await target.json<{ Total: number }>('POST', '/api/Documents/Filter', {
        dataset,
        key,
        body: page,
      })
      assert.equal(listed.Total, 0)
      const facets = {
        Text: 'lamp',
        Facets: [{ Field: 'active', Disjunctive: true }],
        Filter: { Query: 'active:false' },
      }
      const { text } = await target.send('POST', '/api/Documents/Search', { dataset, key, body: facets })
      assert.ok(!/"Value":false/.test(text), text)
      assert.equal((await target.send('GET', '/api/Documents/hidden-1', { dataset, key })).status, 404)
      const similar = { dataset, key, body: { Id: 'hidden-1' } }
      assert.equal((await target.send('POST', '/api/Documents/Similar', similar)).status, 404)
    },
  },
  {
    name: 'a cursor of somebody who sees more',
    run: async target => {
      const key = await prepared(target)
      const body = { Text: 'lamp', Limit: 5, Cursor: true }
      const { Cursor } = await target.json<{ Cursor: string }>('POST', '/api/Documents/Search', {
        dataset,
        body,
      })
      const next = { dataset, key, body: { Text: '', Cursor } }
      assert.equal((await target.send('POST', '/api/Documents/Search', next)).status, 404)
    },
  },
]
