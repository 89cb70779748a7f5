import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { type Attack, sample } from '../attack.ts'
import type { Target } from '../target.ts'

/** The dataset that hostile bodies are sent to. */
const dataset = 'bodies'

/** No refusal is longer. */
const LONGEST_REFUSAL = 30_000

const times = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join()

const words = (count: number): string =>
  Array.from({ length: count }, (_, i) => `w${((i * 7_919) % 10_000_019).toString(36)}`).join(' ')

async function makeDataset(target: Target): Promise<void> {
  const body = { Name: dataset, NGramCount: 1, IdField: 'id', TagField: 'tag', InterpretedFields: ['title'] }
  const sampleDocument = { id: '1', title: 'a', tag: ['a'] }
  await target.send('POST', '/api/DataSets', { body: { ...body, SampleDocument: sampleDocument } })
}

interface Sending {
  readonly name: string
  readonly path: string
  /** Made when it is sent. */
  readonly body: () => string | Uint8Array
  readonly status: number
  /** Default: the secret, and the dataset of these attacks. */
  readonly scope?: 'Search'
  readonly headers?: Readonly<Record<string, string>>
}

const sendings: readonly Sending[] = [
  {
    name: '100,000 empty rows',
    path: '/api/Documents/Bulk',
    body: () => `{"Documents":[${times(100_000, () => '{}')}]}`,
    status: 200,
  },
  {
    name: '2,000,000 empty rows',
    path: '/api/Documents/Bulk',
    body: () => `{"Documents":[${times(2_000_000, () => '{}')}]}`,
    status: 413,
  },
  {
    name: '30,000,000 empty lists, packed into a few bytes',
    path: '/api/Documents',
    body: () => gzipSync(Buffer.alloc(90_000_000, '[],').fill('{"a":[', 0, 6)),
    status: 413,
    headers: { 'Content-Encoding': 'gzip' },
  },
  {
    name: 'a search with 400,000 members that there are not',
    path: '/api/Documents/Search',
    body: () => `{"Text":"drill",${times(400_000, i => `"a${i}":1`)}}`,
    status: 413,
    scope: 'Search',
  },
  {
    name: 'a search with 70,000 members that there are not',
    path: '/api/Documents/Search',
    body: () => `{"Text":"drill",${times(70_000, i => `"a${i}":1`)}}`,
    status: 400,
    scope: 'Search',
  },
  {
    name: '90,000 faults in a list of a search',
    path: '/api/Documents/Search',
    body: () => `{"Text":"drill","Facets":[${times(90_000, () => '{}')}]}`,
    status: 400,
    scope: 'Search',
  },
  {
    name: '100,000 empty tags',
    path: '/api/Tags/Bulk',
    body: () => `{"Tags":[${times(100_000, () => '{}')}]}`,
    status: 400,
  },
  {
    name: 'a tree of 100,000 tags',
    path: '/api/Tags/Bulk',
    body: () =>
      JSON.stringify({
        Tags: Array.from({ length: 100_000 }, (_, i) => ({
          Id: `t${i}`,
          Name: `Name ${i}`,
          ParentId: i === 0 ? null : `t${(i - 1) >> 3}`,
        })),
      }),
    status: 200,
  },
  { name: '50 MB of nesting', path: '/api/Documents', body: () => '{"a":'.repeat(10_000_000), status: 400 },
  {
    name: 'a document of 10 MB of text',
    path: '/api/Documents/Bulk',
    body: () =>
      JSON.stringify({ Documents: [{ id: 'text', title: words(1_500_000).slice(0, 10_000_000), tag: [] }] }),
    status: 200,
  },
  {
    name: 'a document of 300,000 different words',
    path: '/api/Documents/Bulk',
    body: () => JSON.stringify({ Documents: [{ id: 'words', title: words(300_000), tag: [] }] }),
    status: 200,
  },
  {
    name: 'a document of 15 MB in one word',
    path: '/api/Documents/Bulk',
    body: () => JSON.stringify({ Documents: [{ id: 'word', title: 'x'.repeat(15_000_000), tag: [] }] }),
    status: 200,
  },
  {
    name: 'a document with 5,000,000 tags',
    path: '/api/Documents',
    body: () => `{"id":"tags","title":"a","tag":[${times(5_000_000, () => '"t"')}]}`,
    status: 413,
  },
  {
    name: 'a document with 1,000,000 tags',
    path: '/api/Documents',
    body: () => `{"id":"tags","title":"a","tag":[${times(1_000_000, i => `"t${i}"`)}]}`,
    status: 400,
  },
  {
    name: 'a document with 99,000 tags',
    path: '/api/Documents/Bulk',
    body: () => `{"Documents":[{"id":"tags","title":"a","tag":[${times(99_000, i => `"t${i}"`)}]}]}`,
    status: 200,
  },
  {
    name: 'a document with 5,000,000 members',
    path: '/api/Documents',
    body: () => `{${times(5_000_000, i => `"${i.toString(36)}":1`)}}`,
    status: 400,
  },
  {
    name: 'an import of 100,000 rows',
    path: '/api/Documents/Import',
    body: () =>
      Array.from({ length: 100_000 }, (_, i) =>
        JSON.stringify({ id: `i${i}`, title: `row ${i}`, tag: ['a'] }),
      ).join('\n'),
    status: 202,
    headers: { 'Content-Type': 'application/x-ndjson' },
  },
  {
    name: 'an import of one line of 50 MB of nesting',
    path: '/api/Documents/Import',
    body: () => '{"a":'.repeat(10_000_000),
    status: 202,
    headers: { 'Content-Type': 'application/x-ndjson' },
  },
]

const longText: Attack = {
  name: 'a document of 15 MB of short words, written and read',
  async run(target) {
    await makeDataset(target)
    const body = JSON.stringify({ Documents: [{ id: 'short', title: 'ab c '.repeat(3_000_000), tag: [] }] })
    const written = await target.send('POST', '/api/Documents/Bulk', { dataset, body })
    assert.equal(written.status, 200, written.text.slice(0, 300))
    const read = await target.send('GET', '/api/Documents/short', { dataset })
    assert.equal(read.status, 200)
    assert.ok(read.text.length > 15_000_000)
  },
}

export const bodyAttacks: readonly Attack[] = [
  longText,
  ...sendings.map(
    ({ name, path, body, status, scope, headers }): Attack => ({
      name,
      async run(target) {
        if (!scope) await makeDataset(target)
        const key = scope && (await target.key({ Scopes: [scope], DataSets: [sample] }))
        const answer = await target.send('POST', path, {
          dataset: scope ? sample : dataset,
          body: body(),
          ...(key !== undefined && { key }),
          ...(headers && { headers }),
        })
        assert.equal(answer.status, status, `${path}: ${answer.text.slice(0, 300)}`)
        if (status >= 400)
          assert.ok(answer.text.length < LONGEST_REFUSAL, `a refusal of ${answer.text.length} characters`)
      },
    }),
  ),
]
