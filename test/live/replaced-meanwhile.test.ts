import { expect, it } from 'vitest'
import { openEngine, waitingDatabase } from '../engine/engines.ts'

it.each([
  ['in other fields', { interpretedFields: ['desc', 'title'] }],
  ['in another language', { language: 'german' as const }],
])(
  'a filter that was begun is answered by one index, although another one %s replaces it',
  async (_, settings) => {
    const gate = { opened: Promise.resolve(), open: () => {}, waits: 0 }
    const store = waitingDatabase({
      getMany() {
        gate.waits++
        return gate.opened
      },
    })
    const engine = await openEngine({ store })
    const lamps = await engine.datasets.create('lamps', { interpretedFields: ['title', 'desc'] })
    const made = Array.from({ length: 600 }, (_, id) => {
      const first = id < 300 ? 'brass' : 'steel'
      return { id, title: `${first} red lamp oak`, desc: `word${id} cheap` }
    })
    // An index that is built anew numbers its words otherwise.
    await lamps.documents.insert({ id: 'gone', title: 'some more words', desc: 'that go again' })
    await lamps.documents.delete('gone')
    await lamps.documents.bulk(made)
    expect(await lamps.count('title:"red lamp" AND title:oak')).toBe(600)
    gate.opened = new Promise(resolve => {
      gate.open = resolve
    })
    const before = gate.waits
    // A phrase is checked in the documents, so that the index is asked more than once.
    const counted = lamps.count('title:"red lamp" AND title:oak AND desc:cheap')
    while (gate.waits === before) await new Promise(setImmediate)
    await lamps.reconfigure(settings)
    gate.open()
    expect(await counted).toBe(600)
    expect(await lamps.count('title:"red lamp" AND title:oak AND desc:cheap')).toBe(600)
  },
)
