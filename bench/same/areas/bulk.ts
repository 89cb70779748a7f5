import { english, items } from '../catalogue.ts'
import { sample, type World } from '../world.ts'

/** Many at once: bulk, by conditions, from one dataset to another, and what is told of the changes. */
export async function bulk({ at, open }: World): Promise<void> {
  const engine = await open()
  const [from, to] = [
    await engine.datasets.create('from', {
      sample,
      validation: 'strict',
      interpretedFields: ['title', 'desc'],
    }),
    await engine.datasets.create('target', { sample: { id: 1, title: 'x', price: 1 } }),
  ]
  const call = at.of('from.documents', from.documents)
  const changes = async () => await call('changes', { since: 0 })
  for (const mode of ['insert', 'upsert', 'other']) {
    const rows = items(english, 'b', 30)
    await call(
      'bulk',
      [...rows.slice(0, 20), rows[3], { id: 'w' }, null, { ...rows[4], price: 'x' }, rows[25]],
      { mode },
    )
  }
  await call('bulk', [])
  await call('bulk', items(english, 'b', 700))
  await changes()
  await call('changes', { since: 700 })
  await call('changes', { since: -1 })
  for (const where of [
    { price: { gt: 300 } },
    'stock:[0 TO 2]',
    { tag: 'hoses' },
    'title:lamp',
    '"desk lamp"',
    'none:1',
    'price:(',
    [{ stock: 5 }, 'sold:true'],
  ]) {
    await call('updateWhere', where, { desc: 'Changed' })
    await at.of('from', from)('count', where)
    await call('deleteWhere', where)
    await at.record('from.documents.count', () => from.documents.count)
  }
  await call('updateWhere', { stock: 7 }, { price: 'dear' })
  await call('copy', ['b1', 'b2', 'none', 'b2'], to.documents)
  await call('move', ['b6', 'b8', 'none'], to.documents)
  await at.of('target.documents', to.documents)('scan')
  await at.of('target.documents', to.documents)('changes')
  await changes()
}
