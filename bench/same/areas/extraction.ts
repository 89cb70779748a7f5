import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { World } from '../world.ts'

const files = fileURLToPath(new URL('../../../test/fixtures/files/', import.meta.url))

/** The texts of small files of all formats, and attachments that are searched. */
export async function extraction({ at, open }: World): Promise<void> {
  const engine = await open()
  const names = (await readdir(files)).filter(name => /\.(?!sh$)\w+$/.test(name)).sort()
  const bytes = new Map<string, Buffer>()
  for (const name of names) bytes.set(name, await readFile(files + name))
  for (const [name, content] of bytes) {
    await at.record(`engine.extract(${name})`, () => engine.extract(content, { name }))
    await at.record(`engine.extract(half of ${name})`, () =>
      engine.extract(content.subarray(0, content.length / 2), { language: false }),
    )
  }
  for (const content of ['', '\0\0\0', 'PK\x03\x04', '%PDF-1.4', '{\\rtf1 a}', '<p>Grüße', 'a,b\n1,2'])
    await at.record(`engine.extract(${JSON.stringify(content)})`, () => engine.extract(Buffer.from(content)))
  const schema = {
    type: 'object',
    properties: { id: { type: 'string' }, title: { type: 'string' }, file: { type: 'attachment' } },
  }
  const dataset = await engine.datasets.create('files', { schema, interpretedFields: ['title', 'file'] })
  const call = at.of('files.documents', dataset.documents)
  for (const [name, content] of bytes)
    await at.record(`files.documents.upsert(${name})`, () =>
      dataset.documents.upsert({ id: name, title: name, file: content.toString('base64') }),
    )
  await call('insert', { id: 'wrong', file: 'no base64!' })
  await call('get', 'letter.txt')
  await call('update', 'letter.txt', { title: 'Renamed' })
  for (const query of ['letter', 'stock', 'brass', 'slides', 'renamed'])
    await at.of('files', dataset)('search', query, { documents: false, highlight: true })
}
