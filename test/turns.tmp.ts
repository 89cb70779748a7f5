import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { mkdtemp } from 'node:fs/promises'
import { Engine } from '../src/engine.ts'
import { QueryStatistics } from '../src/analytics/query-statistics.ts'
import { Store } from '../src/store/store.ts'
import { longestTurn } from './longest-turn.ts'
const path = await mkdtemp('/tmp/p-turns-')
const N = Number(process.argv[2])
const day0 = Date.UTC(2026, 0, 1)
let now = day0
let e = await Engine.open({ store: path })
await e.datasets.create('items', { interpretedFields: ['title'] })
await e.close()
const store = await Store.open({ store: path, durability: 'process', onDamage: (m: string) => { throw new Error(m) } } as never)
const st = await QueryStatistics.open({ store, clock: () => now, warn: console.log }, { mode: 'full' } as never)
let s = 7
const rnd = () => { s = (s * 1103515245 + 12345) % 2147483648; return s / 2147483648 }
console.log('write turn', (await longestTurn(async () => {
for (let i = 0; i < N; i++) {
  now += 500
  const f = Math.floor(rnd() * 50_000)
  st.record({ type: 'search', dataset: 'items', at: now, took: 5 * rnd(), text: rnd() < 0.5 ? `lamp ${Math.floor(rnd() ** 3 * 20000)}` : `nobody asked ${i}`, total: { count: 5, exact: true }, hits: Array.from({ length: 5 }, (_, k) => ({ id: `p${f + k}`, place: k + 1 })), words: [], relaxed: [], context: { user: `u${Math.floor(rnd() * 1e6)}` } } as never)
  if (i % 50 === 0) await turn()
  if (i % 10_000 === 0) await st.overview({ call: 'search', per: 'hour', from: now } as never)
}})).toFixed(1))
await st.close(); await store.close()
e = await Engine.open({ store: path, analytics: { mode: 'full' }, clock: () => now })
const a = e.analytics
const t = async (name: string, f: () => Promise<unknown>) => { const b = performance.now(); const l = await longestTurn(f); console.log(name, l.toFixed(1), 'ms held;', ((performance.now() - b) / 1000).toFixed(1), 's') }
await t('overview', () => a.overview({ to: 1e14 }))
await t('queries', () => a.queries({ to: 1e14, limit: 1000 }))
await t('hits', () => a.hits({ to: 1e14, limit: 1000 }))
await t('filters', () => a.filters({ to: 1e14 }))
await t('series', () => a.series({ to: 1e14 }))
await t('suggestions', () => a.suggestions({ to: 1e14 }))
for (const format of ['jsonl', 'csv'] as const)
  await t(`export ${format}, slow`, async () => { let n = 0; for await (const part of a.export({ format })) { n += part.length; if (Math.random() < 0.1) await pause(1) } console.log(n) })
await t('erase user', () => a.erase({ user: 'u5' }))
await t('erase text', () => a.erase({ text: 'lamp 1' }))
await t('begunAs', () => e.datasets.get('items').complete('lamp', { kinds: ['query'] }))
await e.close()
