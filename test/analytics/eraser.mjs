// Erases one user after the other, and says who is gone.
import { Engine } from '../../dist/index.js'

const [store, users] = process.argv.slice(2)
const engine = await Engine.open({ store, analytics: { mode: 'full' } })
process.stdout.write('open\n')
for (let i = 0; i < Number(users); i++) {
  await engine.analytics.erase({ user: `u${i}` })
  process.stdout.write(`u${i}\n`)
}
await engine.close()
