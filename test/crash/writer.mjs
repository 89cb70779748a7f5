// Writes into a store until it is killed, and says before each write what it will change and after it that it is done.
import { Engine } from '../../dist/index.js'
import { numbers } from './numbers.mjs'

const [store, seed] = [process.argv[2], Number(process.argv[3])]
const random = numbers(seed)
const say = line => process.stdout.write(`${JSON.stringify(line)}\n`)
const logger = {
  warn: (_, message) => say({ warning: message }),
  error: (_, message) => say({ warning: message }),
}

const engine = await Engine.open({ store, logger })
for (const name of ['items', 'archive']) {
  const exists = engine.datasets.list().some(info => info.name === name)
  if (!exists) await engine.datasets.create(name, { interpretedFields: ['title'] })
}
const items = engine.datasets.get('items')
const archive = engine.datasets.get('archive')
let version = 0
const content = id => ({ id, title: `term${seed}x${version++}`, desc: `more${random(9)}` })

/** Announces the effects of a write, does it and acknowledges it. */
async function write(kind, effects, work) {
  const write = `${seed}.${version++}`
  say({ write, kind, effects })
  await work()
  say({ acknowledged: write })
}
const put = (dataset, document) => ({ dataset, id: document.id, document })
const gone = (dataset, id) => ({ dataset, id, document: null })

/** Each loop has ids of its own, so that what each of them holds follows from the loop's writes alone. */
async function mixedWrites(loop) {
  for (;;) {
    const id = `${loop}-${random(20)}`
    const other = `${loop}-${random(20)}`
    const document = content(id)
    const had = await items.documents.get(id)
    const kind = random(8)
    if (kind < 2) await write('upsert', [put('items', document)], () => items.documents.upsert(document))
    else if (kind === 2 && had) {
      const changed = { ...had, title: document.title }
      await write('update', [put('items', changed)], () =>
        items.documents.update(id, { title: document.title }),
      )
    } else if (kind === 3) await write('delete', [gone('items', id)], () => items.documents.delete(id))
    else if (kind === 4 && id !== other) {
      const rows = [document, content(other)]
      await write(
        'bulk',
        rows.map(row => put('items', row)),
        () => items.documents.bulk(rows),
      )
    } else if (kind === 5) {
      const rows = [content(`${loop}-a`), content(`${loop}-b`), content(`${loop}-c`)]
      await write(
        'import',
        rows.map(row => put('items', row)),
        () => items.documents.import(rows).finished,
      )
    } else if (kind === 6 && had) {
      const effects = [gone('items', id), put('archive', had)]
      await write('move', effects, () => items.documents.move([id], archive.documents).finished)
    } else if (kind === 7) {
      await write('both', [put('items', document), put('archive', document)], () =>
        engine.write([
          { type: 'upsert', dataset: 'items', document },
          { type: 'upsert', dataset: 'archive', document },
        ]),
      )
    }
  }
}

async function tags() {
  for (let n = 0; ; n++) {
    const id = `tag-${seed}-${n}`
    await write('tag', [{ tag: id }], () => items.tags.create({ id, name: id }))
  }
}

async function reconfigurations() {
  for (let n = 0; ; n++) {
    const interpretedFields = n % 2 ? ['title'] : ['title', 'desc']
    await write('reconfigure', [], () => items.reconfigure({ interpretedFields }).finished)
  }
}

async function removals() {
  for (let n = 0; ; n++) {
    const name = `passing-${seed}-${n}`
    await write('create', [{ made: name }], () => engine.datasets.create(name))
    const { documents } = engine.datasets.get(name)
    await documents.bulk(Array.from({ length: 100 }, (_, id) => ({ id, title: `passing ${id}` })))
    await write('remove', [{ removed: name }], () => engine.datasets.remove(name))
  }
}

await Promise.all([
  mixedWrites('a'),
  mixedWrites('b'),
  mixedWrites('c'),
  tags(),
  reconfigurations(),
  removals(),
])
