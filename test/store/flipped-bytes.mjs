// Opens copies of a store in each of which one bit is different, and says of each what became of its documents.
// A process of its own: LevelDB ends the process over some damage, if it gets to see it.
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine } from '../../dist/index.js'

const [store, firstSeed, endSeed] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const { documents, versions } = JSON.parse(await readFile(`${store}.json`, 'utf8'))
const copy = `${store}-copy-${firstSeed}`
const names = (await readdir(store)).filter(name => name !== 'LOCK' && !name.startsWith('LOG')).sort()
const files = []
for (const name of names) if ((await stat(join(store, name))).size > 0) files.push(name)

for (let seed = firstSeed; seed < endSeed; seed++) {
  const place = await flip(seed)
  console.log(JSON.stringify({ seed, ...place }))
  console.log(JSON.stringify({ seed, ...place, ...(await examine()) }))
}
await rm(copy, { recursive: true, force: true })

/** Each file has its turn, every second time near its end; where in it and which bit follow from the seed. */
async function flip(seed) {
  await rm(copy, { recursive: true, force: true })
  await mkdir(copy)
  const file = files[seed % files.length]
  // LevelDB never writes into a file of an earlier life, so that links do for the rest.
  for (const name of names) if (name !== file) await link(join(store, name), join(copy, name))
  const bytes = await readFile(join(store, file))
  let state = (seed + 1) * 2654435761
  const random = below => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) >>> 0
    return state % below
  }
  random(2)
  const isTail = Math.floor(seed / files.length) % 2 === 0
  const at = isTail ? Math.max(0, bytes.length - 1 - random(600)) : random(bytes.length)
  const bit = random(8)
  bytes[at] ^= 1 << bit
  await writeFile(join(copy, file), bytes)
  return { file, at, bit }
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
  try {
    const first = await read(engine)
    const { faults, ok } = await engine.doctor()
    const then = await read(engine)
    const isTold = heard.length > 0 && faults.some(({ kind }) => kind === 'lost-changes')
    const older = first.older + then.older
    const wrong = [...first.wrong, ...then.wrong]
    return { opened: true, isTold, isWell: ok && older === 0, wrong: wrong.slice(0, 3) }
  } finally {
    await engine.close()
  }
}

/** How many answers are those of an earlier state, and every one that never was right nor is a report of damage. */
async function read(engine) {
  const wrong = []
  let older = 0
  const attempt = async work => {
    try {
      await work()
    } catch (error) {
      if (error.code === 'DATASET_NOT_FOUND') older++
      else if (error.code !== 'STORE_CORRUPT') wrong.push(String(error.stack))
    }
  }
  for (const [name, expected] of Object.entries(documents)) {
    const ids = Object.keys(versions[name])
    const count = Object.keys(expected).length
    const compare = (how, id, document) => {
      const found = JSON.stringify(document)
      if (found === JSON.stringify(expected[id])) return
      if (found === undefined || versions[name][id]?.includes(found)) older++
      else wrong.push(`${how} gave ${id} as ${found}`)
    }
    await attempt(async () => {
      const dataset = engine.datasets.get(name)
      const found = await dataset.documents.getMany(ids)
      for (const [i, id] of ids.entries()) compare('getMany', id, found[i])
      let seen = 0
      for await (const { id, document } of dataset.documents.scan()) {
        seen++
        compare('scan', id, document)
      }
      const { hits } = await dataset.search('lamp', { limit: 1000 })
      for (const { id, document } of hits) compare('search', id, document)
      if (seen !== count || hits.length !== count) older++
      if ((await dataset.tags.list()).length !== 1) older++
    })
  }
  return { older, wrong }
}
