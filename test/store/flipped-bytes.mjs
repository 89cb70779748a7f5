// Opens copies of a store in each of which one byte is different, and says of each what became of its documents.
// A process of its own: LevelDB ends the process when some bytes of its tables do not make sense.
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine } from '../../dist/index.js'

const [store, firstSeed, count] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const documents = JSON.parse(await readFile(`${store}.json`, 'utf8'))
const copy = `${store}-copy`
const names = (await readdir(store)).filter(name => name !== 'LOCK' && !name.startsWith('LOG')).sort()
const files = []
for (const name of names) if ((await stat(join(store, name))).size > 0) files.push(name)

for (let seed = firstSeed; seed < count; seed++) {
  const place = await flip(seed)
  console.log(JSON.stringify({ seed, ...place }))
  console.log(JSON.stringify({ seed, ...place, ...(await examine()) }))
}
await rm(copy, { recursive: true, force: true })

/** Each file has its turn; where in it and which bit follow from the seed. */
async function flip(seed) {
  await rm(copy, { recursive: true, force: true })
  await cp(store, copy, { recursive: true })
  const file = files[seed % files.length]
  const bytes = await readFile(join(copy, file))
  let state = (seed + 1) * 2654435761
  const random = below => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) >>> 0
    return state % below
  }
  const at = random(bytes.length)
  bytes[at] ^= 1 << random(8)
  await writeFile(join(copy, file), bytes)
  return { file, at }
}

async function examine() {
  const heard = []
  const listen = (_, message) => heard.push(message)
  let engine
  try {
    engine = await Engine.open({
      store: copy,
      logger: { warn: listen, error: listen },
      durability: 'process',
    })
  } catch (error) {
    return { opened: false, code: error.code ?? String(error) }
  }
  const first = await read(engine)
  const { faults } = await engine.doctor()
  const then = await read(engine)
  await engine.close()
  const told = heard.length + faults.length > 0
  return { opened: true, wrong: [...first.wrong, ...then.wrong], missing: told ? 0 : then.missing }
}

/** How many documents are missing, and every answer that is neither right nor a report of damage. */
async function read(engine) {
  const wrong = []
  let missing = 0
  const attempt = async work => {
    try {
      await work()
    } catch (error) {
      if (error.code === 'DATASET_NOT_FOUND') missing++
      else if (error.code !== 'STORE_CORRUPT' && error.code !== 'STORE_FAILED')
        wrong.push(String(error.stack))
    }
  }
  const compare = (how, expected, document) => {
    if (document === undefined) missing++
    else if (JSON.stringify(document) !== JSON.stringify(expected))
      wrong.push(`${how} gave ${JSON.stringify(document)}`)
  }
  for (const [dataset, expected] of Object.entries(documents)) {
    const ids = Object.keys(expected)
    await attempt(async () => {
      const found = await engine.datasets.get(dataset).documents.getMany(ids)
      for (const [i, id] of ids.entries()) compare('getMany', expected[id], found[i])
    })
    for (const id of ids) {
      await attempt(async () =>
        compare('get', expected[id], await engine.datasets.get(dataset).documents.get(id)),
      )
    }
    await attempt(async () => {
      let seen = 0
      for await (const { id, document } of engine.datasets.get(dataset).documents.scan()) {
        seen++
        compare('scan', expected[id], document)
      }
      missing += ids.length - seen
    })
    await attempt(async () => {
      const { hits } = await engine.datasets.get(dataset).search('lamp', { limit: 1000 })
      for (const { id, document } of hits) compare('search', expected[id], document)
      missing += ids.length - hits.length
    })
  }
  return { wrong, missing }
}
