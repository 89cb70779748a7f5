import { spawnSync } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { english, items } from '../catalogue.ts'
import { withoutMeasures } from '../normal.ts'
import { sample, settled, type World } from '../world.ts'

/** Jobs, namespaces, memory, re-opening; backups and what is wrong with stores. */
export async function upkeep({ at, open, Engine, folder, tree }: World): Promise<void> {
  const store = join(folder, 'store')
  const engine = await open(store)
  const dataset = await engine.datasets.create('kept', { sample, interpretedFields: ['title', 'desc'] })
  await dataset.documents.bulk(items(english, 'u', 200))
  await settled(engine, dataset)
  const call = at.of('engine', engine)
  const job = dataset.documents.updateWhere('stock:1', { stock: 2 })
  await at.record('a job', () => job)
  await call('job', job.id)
  await call('job', 'none')
  await call('cancelJob', job.id)
  await call('cancelJob', 'none')
  const aborted = AbortSignal.abort()
  await at.of('kept', dataset)('optimize', { signal: aborted })
  await at.of('documents', dataset.documents)('import', [{ id: '1' }], { signal: aborted })
  await at.of('kept', dataset)('search', 'lamp', { signal: aborted })
  await at.record('engine.jobs', () =>
    engine
      .jobs()
      .filter(({ kind }) => /update|import|optimize/i.test(kind))
      .map(({ progress: _, ...one }) => one),
  )
  await at.record('engine.memory', () => withoutMeasures(engine.memory()))
  const notes = at.of('notes', engine.namespace('notes'))
  for (const [key, value] of [
    ['b', { x: [1] }],
    ['a', 'text'],
    ['ä', null],
    ['', 1],
    ['long'.repeat(300), 1],
    ['n', Number.NaN],
  ] as const) {
    await notes('put', key, value)
    await notes('get', key)
  }
  await notes('write', [{ key: 'c', value: 1 }, { key: 'a' }])
  await notes('delete', 'none')
  await notes('entries')
  await at.record('a namespace of no name', () => engine.namespace(''))
  await call('doctor')
  const backup = join(folder, 'backup')
  await at.record('engine.backup', async () =>
    withoutMeasures({ ...(await engine.backup(backup)), entries: 0 }),
  )
  await dataset.documents.delete('u1')
  await at.record('engine.backup again', async () =>
    withoutMeasures({ ...(await engine.backup(backup)), entries: 0 }),
  )
  await at.record('Engine.verifyBackup', async () => (await Engine.verifyBackup(backup)).seq)
  const restored = join(folder, 'restored')
  await at.record('Engine.restore', async () => (await Engine.restore(backup, restored)).seq)
  await at.of('Engine', Engine)('restore', backup, restored)
  await at.of('Engine', Engine)('verifyBackup', folder)
  await at.of('Engine', Engine)('open', { store })
  await engine.close()
  await call('doctor')
  await at.of('kept', dataset)('search', 'lamp')
  for (const [name, path] of [
    ['again', store],
    ['restored', restored],
  ] as const) {
    const other = await open(path)
    const kept = other.datasets.get('kept')
    await at.of(name, kept)('search', 'wireless lamp', { documents: false, limit: 30 })
    await at.of(name, kept.documents)('changes')
    await at.of(name, other.namespace('notes'))('entries')
    await at.of(name, other)('doctor', { repair: true })
    await other.close()
  }
  const broken = join(folder, 'broken')
  await cp(store, broken, { recursive: true })
  await writeFile(join(broken, 'CURRENT'), 'nonsense')
  for (const path of [broken, backup]) await at.of('Engine', Engine)('open', { store: path })
  for (const options of [{ memoryBudget: 1 }, { durability: 'none' }, { stroe: 'x' }])
    await at.of('Engine', Engine)('open', options)
  for (const args of [
    ['doctor', store],
    ['doctor', broken],
    ['doctor', folder],
    ['verify', backup],
    ['verify', store],
    ['restore', backup, restored],
    ['restore', backup, join(folder, 'third')],
    [],
    ['--help'],
  ])
    await at.record(`findling ${args.join(' ')}`, () => {
      const { status, stdout } = spawnSync(process.execPath, [join(tree, 'dist/command.js'), ...args], {
        encoding: 'utf8',
      })
      return { status, outcome: stdout.split('\n')[0] }
    })
}
