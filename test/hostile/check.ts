/**
 * Attacks the built server over loopback with everything in `attacks.ts`, one thing after the other, while a thread of
 * its own asks it for `/health` and for a small search of another key. Fails when an attack gets what it must not get,
 * when others wait too long, when the server ends, or when it keeps too much memory. An argument chooses attacks by a
 * part of their name.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { sample } from './attack.ts'
import { attacks } from './attacks.ts'
import { Target } from './target.ts'

/** What the server's main thread may compute before somebody else has an answer. Before, these were seconds. */
const MOST_COMPUTED_MS = { health: 250, search: 500 }
const MOST_SECONDS = 60
const MOST_MEMORY_MB = 1_500

/** Milliseconds. */
interface Wait {
  readonly wall: number
  readonly computed: number
}

interface Waits {
  readonly health: Wait
  readonly search: Wait
  readonly failures: readonly string[]
}

const program = fileURLToPath(new URL('../../adapters/http/dist/serve.js', import.meta.url))
const chosen = attacks.filter(({ name }) => name.includes(process.argv[2] ?? ''))
const secret = 'a-secret-of-the-check'
const folder = await mkdtemp(join(tmpdir(), 'findling-hostile-'))
const wrong: string[] = []
const server = spawn(process.execPath, [program], {
  cwd: folder,
  env: { PATH: process.env.PATH, PORT: '0', FINDLING_SECRET: secret, FINDLING_DISK_MINIMUM_MB: '0' },
  stdio: ['ignore', 'pipe', 'ignore'],
})
try {
  const target = new Target(await addressOf(server), secret)
  const key = await target.key({ Scopes: ['Search'], DataSets: [sample] })
  const probe = new Worker(new URL('probe.mjs', import.meta.url), {
    workerData: { url: target.url, key, dataset: sample, pid: server.pid },
  })
  await pause(1_000)
  await waits(probe)
  for (const { name, run } of chosen) await attack(name, () => run(target), probe)
  await probe.terminate()
} finally {
  server.kill('SIGTERM')
  const [code] = server.exitCode === null ? await once(server, 'exit') : [server.exitCode]
  if (code !== 0) wrong.push(`the server ended with ${code}`)
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
for (const line of wrong) console.log(`WRONG: ${line}`)
console.log(`${chosen.length} attacks, ${wrong.length} of them or what came of them wrong.`)
if (wrong.length > 0) process.exitCode = 1

function told({ wall, computed }: Wait): string {
  return `${wall.toFixed(0)} ms (${computed.toFixed(0)} computed)`
}

async function attack(name: string, run: () => Promise<void>, probe: Worker): Promise<void> {
  const start = performance.now()
  const problem = await Promise.race([
    run().then(
      () => undefined,
      error => String(error instanceof Error ? error.message : error).slice(0, 500),
    ),
    pause(MOST_SECONDS * 1_000, `not over after ${MOST_SECONDS} s`, { ref: false }),
  ])
  const seconds = (performance.now() - start) / 1_000
  const { health, search, failures } = await waits(probe)
  const memory = await residentMb()
  console.log(
    `${name}: ${seconds.toFixed(1)} s; others waited ${told(health)} for /health, ${told(search)} for a search; ${memory.toFixed(0)} MB`,
  )
  const mistakes = [
    ...(problem === undefined ? [] : [problem]),
    ...(health.computed > MOST_COMPUTED_MS.health ? [`/health waited ${told(health)}`] : []),
    ...(search.computed > MOST_COMPUTED_MS.search ? [`a search waited ${told(search)}`] : []),
    ...(memory > MOST_MEMORY_MB ? [`${memory.toFixed(0)} MB are kept`] : []),
    ...failures.slice(0, 3),
  ]
  for (const line of mistakes) wrong.push(`${name}: ${line}`)
}

async function waits(probe: Worker): Promise<Waits> {
  const answer = once(probe, 'message')
  probe.postMessage('waits')
  const [told] = await answer
  return told as Waits // as probe.mjs sends it
}

async function residentMb(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout!.setEncoding('utf8').on('data', text => {
      printed += text
      const address = /^Findling listens on (\S+)/m.exec(printed)?.[1]
      // The last lines that it prints are calls to try.
      if (address !== undefined && printed.includes('curl')) resolve(address)
    })
    child.once('exit', () => reject(new Error(`The server ended before it told its address: ${printed}`)))
  })
}
