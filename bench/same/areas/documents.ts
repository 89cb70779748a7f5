import { english, items } from '../catalogue.ts'
import { sample, type World } from '../world.ts'

/** One by one: stored, read, changed, moved, removed, under conditions. */
export async function documents({ at, open }: World): Promise<void> {
  const engine = await open()
  const strict = await engine.datasets.create('strict', {
    sample,
    validation: 'strict',
    interpretedFields: ['title'],
  })
  const free = await engine.datasets.create('free')
  for (const [name, dataset] of [
    ['strict', strict],
    ['free', free],
  ] as const) {
    const call = at.of(`${name}.documents`, dataset.documents)
    for (const item of items(english, 'd', 25)) await call('insert', item)
    await call('insert', { ...sample, id: 'd1' })
    const { seq } = await call<{ seq: number }>('upsert', { ...sample, id: 'd2', title: 'Anew' })
    await call('upsert', { ...sample, id: 'd2' }, { ifSeq: seq })
    await call('upsert', { ...sample, id: 'd2' }, { ifSeq: seq })
    await call('upsert', { ...sample, id: 'new' }, { ifSeq: 0 })
    for (const patch of [
      { price: 9 },
      { specs: { weight: 1 } },
      { variants: [] },
      { id: 'moved' },
      { tag: ['x', 'y'] },
      { title: 7 },
      { price: 'dear' },
      { brand: null },
      { more: { deep: [1, { a: 2 }] } },
    ])
      await call('update', 'd3', patch)
    await call('update', 'moved', { title: 'Moved' })
    for (const wrong of [
      {},
      { id: '' },
      { id: {} },
      { id: 'w', tag: [{}] },
      { id: 'w', title: 'x', price: Number.NaN },
      { id: 'w', released: 'yesterday' },
      { id: 'w', a: '\ud800' },
      { id: 'x'.repeat(2_000) },
      { id: 'w', specs: 5 },
      null,
      5,
      'text',
    ])
      await call('insert', wrong)
    for (const id of ['d1', 'moved', 'none', 4, '__proto__']) {
      await call('get', id)
      await call('record', id)
    }
    await call('getMany', ['d1', 'none', 'd5', 'd1'])
    await call('records', ['d4', 'd5', 'none'])
    await call('delete', 'd4', { ifSeq: 1 })
    await call('delete', 'd4')
    await call('delete', 'd4')
    await call('scan')
    await at.of(name, dataset)('info')
    await at.of(name, dataset)('search', 'moved')
    await at.record(`${name}.documents.count`, () => dataset.documents.count)
  }
  await at.of('engine', engine)('write', [
    { type: 'delete', dataset: 'strict', id: 'd5' },
    { type: 'insert', dataset: 'free', document: { id: 'written' } },
  ])
  await at.of('engine', engine)('write', [
    { type: 'insert', dataset: 'free', document: { id: 'other' } },
    { type: 'update', dataset: 'strict', id: 'none', patch: {} },
  ])
  await at.of('free.documents', free.documents)('get', 'other')
}
