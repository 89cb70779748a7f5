// Writes without end, and backs up into a folder or restores from it again and again; tells what it begins and ends.
import { setTimeout as pause } from 'node:timers/promises'
import { Engine } from '../../dist/index.js'

const [work, store, backup, how] = process.argv.slice(2)
const say = message => process.stdout.write(`${JSON.stringify(message)}\n`)
if (work === 'restore') {
  const onProgress = ({ done }) => (how === 'dying' ? process.kill(process.pid, 'SIGKILL') : say({ done }))
  await Engine.restore(backup, store, { onProgress })
  say({ restored: true })
} else {
  const engine = await Engine.open({ store })
  if (!engine.datasets.has('items')) await engine.datasets.create('items', { interpretedFields: ['title'] })
  const { documents } = engine.datasets.get('items')
  const write = async () => {
    for (;;) {
      const first = documents.count
      await documents.bulk(
        Array.from({ length: 200 }, (_, i) => ({ id: `d${first + i}`, title: `lamp number ${first + i}` })),
      )
      await pause(10)
    }
  }
  write()
  for (;;) {
    const least = documents.count
    say({ begun: least })
    await engine.backup(backup)
    say({ ended: least })
  }
}
