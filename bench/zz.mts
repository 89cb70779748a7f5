import { Engine } from 'findling'
import { random, randomInteger } from './random.ts'
import { Catalogue, vocabulary } from './synthetic.ts'

const mode = process.argv[2]
const catalogue = new Catalogue(vocabulary('/work/shared/data'))
const engine = await Engine.open(mode === 'off' ? {} : { analytics: { mode: mode as 'counts' } })
const items = await engine.datasets.create('items', { interpretedFields: ['title', 'desc'] })
await items.documents.bulk([...catalogue.products(0, 10000)])
const texts = catalogue.queries('or', 400, 10000).map(({ text }) => text)
const next = random(3)
async function go(n: number) {
  const cpu = process.cpuUsage()
  const t = performance.now()
  for (let i = 0; i < n; i++) {
    const text = texts[Math.floor(next() ** 3 * texts.length)]!
    await items.search(text, { context: { user: `u${randomInteger(next, 500)}`, tags: ['web'] } })
    if (i % 50 === 0) await new Promise(r => setImmediate(r))
  }
  await new Promise(r => setTimeout(r, 1500))
  const c = process.cpuUsage(cpu)
  console.log(
    mode,
    n,
    (((performance.now() - t - 1500) * 1000) / n).toFixed(0),
    'us wall',
    ((c.user + c.system) / n).toFixed(0),
    'us cpu',
  )
}
await go(3000)
await go(10000)
await go(10000)
await engine.close()
