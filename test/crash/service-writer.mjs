// Leads services through their lives, and says before and after each step what it is.
import { Engine } from '../../dist/index.js'
import { numbers } from './numbers.mjs'

const [store, seed] = process.argv.slice(2)
const random = numbers(Number(seed))
const engine = await Engine.open({ store })
const say = said => process.stdout.write(`${JSON.stringify(said)}\n`)

const next = {
  new: ['prepare'],
  prepared: ['activate', 'again', 'remove'],
  active: ['deactivate', 'again', 'remove'],
}
const calls = {
  prepare: service => service.prepare({ dataset: 'items' }),
  again: service => service.prepare({ dataset: 'items', again: true }),
  activate: service => service.activate({ search: { limit: 1 + random(5) } }),
  deactivate: service => service.deactivate(),
  remove: service => service.remove(),
}
for (;;) {
  const alias = `s${random(3)}`
  if (!engine.services.has(alias)) {
    say({ begins: alias, to: 'new' })
    await engine.services.create({ type: 'search', name: alias, alias })
    say({ ended: alias, is: 'new' })
    continue
  }
  const service = engine.services.get(alias, 'search')
  const choices = next[service.status]
  const call = choices[random(choices.length)]
  const to = {
    prepare: 'prepared',
    again: service.status,
    activate: 'active',
    deactivate: 'prepared',
    remove: null,
  }[call]
  say({ begins: alias, to })
  await calls[call](service)
  say({ ended: alias, is: to })
}
