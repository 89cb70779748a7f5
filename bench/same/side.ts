import { mkdir, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Engine, EngineOptions } from 'findling'
import { random } from '../random.ts'
import { inTemporaryFolder } from '../temporary.ts'
import { areas } from './areas/index.ts'
import { Clock } from './clock.ts'
import { Http } from './http.ts'
import { type Recorded, Recorder } from './recorder.ts'
import { fill } from './world.ts'

export interface Side {
  readonly folder: string
  readonly module: string
  readonly adapter: string
  /** Only these areas; all where it is undefined. */
  readonly areas?: readonly string[] | undefined
}

/** Makes all calls with one build, and hands over what it answered. */
export async function recordSide({ folder: tree, module, adapter, areas: only }: Side): Promise<Recorded[]> {
  await refuseOtherEngine(tree, adapter)
  const clock = new Clock()
  // The adapter asks the process for the time.
  Date.now = () => clock.now
  const engines: typeof import('findling') = await import(pathToFileURL(module).href)
  const http: typeof import('../../adapters/http/src/index.ts') = await import(pathToFileURL(adapter).href)
  return await inTemporaryFolder(async folder => {
    const open = (options: EngineOptions = {}, seed = 1) =>
      engines.Engine.open({ clock: () => clock.now, random: random(seed), ...options })
    const closing: { close(): Promise<void> }[] = []
    const filled = once(async () => {
      const engine = await open()
      closing.unshift(engine)
      return await fill(engine)
    })
    const served = once(async () => {
      const engine = await open({}, 2)
      await fill(engine)
      const files = join(folder, 'http')
      await mkdir(files)
      // What statistics count is written now and then, and takes a number among the changes.
      const api = await Http.open(http, engine, { folder: files, stats: false })
      closing.unshift(api, engine)
      return api
    })
    const recorded: Recorded[] = []
    for (const [name, area] of Object.entries(areas)) {
      if (only && !only.includes(name)) continue
      const own = join(folder, name.replace(/\W/g, '-'))
      await mkdir(own)
      clock.pass()
      const at = new Recorder(name, clock, [folder, tree])
      const opened: Engine[] = []
      const serving: Http[] = []
      await area({
        at,
        filled,
        http: served,
        serve: async of => {
          const other = await Http.open(http, of, { folder: own, stats: true })
          serving.push(other)
          return other
        },
        serveClients: async ids => {
          const other = await Http.withClients(http, own, ids)
          serving.push(other)
          return other
        },
        open: async store => {
          const other = await open(store === undefined ? {} : { store }, 3 + opened.length)
          opened.push(other)
          return other
        },
        Engine: engines.Engine,
        folder: own,
        tree,
      })
      for (const other of [...serving, ...opened]) await other.close()
      recorded.push(...at.calls)
    }
    for (const one of closing) await one.close()
    return recorded
  })
}

/** Made when it is first asked for. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Packages are looked for in folders above: an adapter that finds another engine there would compare that one. */
async function refuseOtherEngine(tree: string, adapter: string): Promise<void> {
  const found = dirname(await realpath(createRequire(adapter).resolve('findling')))
  if (found !== (await realpath(join(tree, 'dist'))))
    throw new Error(`${adapter} uses the engine in ${found}`)
}
