import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { english, german, items, japanese } from '../catalogue.ts'
import { sample, type World } from '../world.ts'

const formats = ['jsonl', 'csv', 'json'] as const

/** Documents to text and back, as three formats, and rows that cannot be read. */
export async function importExport({ at, open, folder }: World): Promise<void> {
  const engine = await open()
  const all = [...items(english, 'i', 25), ...items(german, 'g', 25), ...items(japanese, 'j', 25)]
  const odd = [
    { id: 'odd', title: 'a "quoted", text\nof lines', desc: '=1+1', a: { b: [{ c: 1 }, { c: [] }] } },
    { id: 'odder', title: '', 'name, with "signs"': null, list: ['x|y', 'z'] },
  ]
  const source = await engine.datasets.create('source')
  await source.documents.bulk([...all, ...odd])
  const read = at.of('source.documents', source.documents)
  for (const format of formats) {
    const text = (await read<string[]>('export', { format })).join('')
    await read('export', { format, columns: ['id', 'title', 'specs.color'] })
    await read('export', { format, columns: ['none'] })
    for (const [kind, definition] of [
      ['sampled', { sample }],
      ['free', {}],
    ] as const) {
      const target = await engine.datasets.create(`${kind}-${format}`, definition)
      const write = at.of(`${kind}.documents`, target.documents)
      await write('import', [Buffer.from(text)], { format })
      await write('scan')
      await write('export', { format: 'jsonl' })
      await write('import', [Buffer.from(text.slice(0, text.length / 2))], { format })
      const path = join(folder, `${kind}.${format}`)
      await writeFile(path, text)
      await write('import', path)
    }
  }
  const target = await engine.datasets.create('target', { sample })
  const write = at.of('target.documents', target.documents)
  for (const [format, text] of [
    ['csv', 'id;title;price\na;Lamp;1\nb;"Two\nlines";x\n'],
    ['csv', 'id,title\na,b,c\nd\n'],
    ['csv', 'id,id\n1,2'],
    ['csv', ''],
    ['csv', 'id\ttags\n1\ta|b'],
    ['jsonl', '{"id":"1"}\n\n{"id":}\n[1]\n{"id":"2","price":9007199254740993}\n{"id":"3"}'],
    ['json', '[{"id":"1"},{"id":"2"'],
    ['json', '{"id":"1"}'],
    ['json', '[]'],
    ['xml', '<a/>'],
  ]) {
    await write('import', [Buffer.from(text!)], { format })
    await write('import', [Buffer.from(text!)], { format, delimiter: ';' })
  }
  await write('import', all.slice(0, 3))
  await write('import', join(folder, 'missing.csv'))
  await write('import', [{ id: 'c', price: '5' }], {
    convert: (field: string, value: string) => field + value,
  })
  await write('changes')
  await write('scan')
}
