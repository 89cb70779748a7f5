import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { addClient, removeClient } from '../adapters/http/src/commands/clients.ts'
import { readConfig } from '../adapters/http/src/config/config.ts'
import { secret, withServer } from './http-server.ts'
import { print, progress, table, writeResults } from './report.ts'
import { Caller } from './soak/caller.ts'
import { type Growth, growthIn, type Sample, type Stretch, stretches } from './soak/growth.ts'
import { HostileLane } from './soak/hostile.ts'
import { openStanding, passingClient, pastProcesses, round } from './soak/rounds.ts'
import { Shop } from './soak/shop.ts'
import { act, type Lane } from './soak/traffic.ts'
import { inTemporaryFolder } from './temporary.ts'

export interface SoakTask {
  readonly seconds: number
  readonly quick: boolean
}

const parts = ['resident', 'heap', 'external'] as const
const LANES = 4
const TEN_MINUTES = 600
/** Bytes of resident memory in ten minutes, when everything is warm. */
const WANTED_GROWTH = 1e6
/** Resident memory swings, so a shorter run proves no growth. */
const LONG_SECONDS = 3_600
/** The caches of the database, a part of this, are full within minutes. */
const MEMORY_MB = '640'
/** A short run sees the heap still finding its size. */
const MOST_GROWTH_QUICK = 200e6

interface Scale {
  readonly documents: number
  readonly actsPerSecond: number
  readonly secondsBetweenRounds: number
  /** Undefined: nobody is hostile. */
  readonly secondsBetweenAttacks?: number
  /** Made before the time starts. */
  readonly pastProcesses: number
  /** Seconds of which the least that was held counts. */
  readonly stretch: number
}

const scales: Record<'full' | 'quick', Scale> = {
  full: {
    documents: 3_000,
    actsPerSecond: 20,
    secondsBetweenRounds: 10,
    secondsBetweenAttacks: 20,
    pastProcesses: 1_000,
    stretch: 60,
  },
  quick: {
    documents: 600,
    actsPerSecond: 40,
    secondsBetweenRounds: 0.5,
    pastProcesses: 20,
    stretch: 2,
  },
}

/** Does a server that is asked everything, for long, answer as it should and stay as large as it is? */
export async function soak({ seconds, quick }: SoakTask): Promise<void> {
  const scale = scales[quick ? 'quick' : 'full']
  const { samples, caller } = await withClient(async server => await drive(server, seconds, scale))
  const rows = stretches(samples, scale.stretch)
  print(
    `# soak: ${Math.round(seconds)} seconds of mixed requests, ${caller.calls} calls, ${caller.wrongs} wrong answers`,
  )
  print(
    table(
      ['second', ...parts.map(part => `${part} MB`)],
      rows.map(row => [`${row.seconds}`, ...parts.map(part => megabytes(row[part]))]),
    ),
  )
  // At first caches fill and code is compiled.
  const warm = rows.slice(Math.ceil(rows.length / 3))
  const figures = { seconds, calls: caller.calls, wrong: caller.wrongs, stretches: rows }
  const resident = quick ? undefined : await tellGrowth(warm, figures)
  if (caller.wrongs > 0) throw new Error(`${caller.wrongs} wrong answers: ${caller.wrong.join('\n')}`)
  const grown = warm.at(-1)!.resident - warm[0]!.resident
  if (quick && grown > MOST_GROWTH_QUICK) throw new Error(`the server has grown by ${megabytes(grown)} MB`)
  if (resident && seconds >= LONG_SECONDS && resident.atLeast >= WANTED_GROWTH)
    throw new Error(`the server grows by at least ${megabytes(resident.atLeast)} MB in ten minutes`)
}

/** @returns by how many bytes the server grows in ten minutes */
async function tellGrowth(warm: readonly Stretch[], figures: object): Promise<Growth> {
  const growth = (part: (typeof parts)[number]) =>
    growthIn(
      TEN_MINUTES,
      warm.map(row => [row.seconds, row[part]]),
    )
  const growthInTenMinutes = {
    resident: growth('resident'),
    heap: growth('heap'),
    external: growth('external'),
  }
  const told = parts.map(part => {
    const { by, atLeast, atMost } = growthInTenMinutes[part]
    return `${part} ${megabytes(by)} MB [${megabytes(atLeast)}, ${megabytes(atMost)}]`
  })
  print(
    `Growth in ten minutes, of the last ${warm.length} minutes: ${told.join(', ')} (wanted of resident: below ${megabytes(WANTED_GROWTH)}).`,
  )
  await writeResults('soak', { ...figures, growthInTenMinutes })
  return growthInTenMinutes.resident
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

interface Server {
  /** Calls the root of the host. */
  readonly operator: Caller
  /** Calls the client whose shop is asked for. */
  readonly caller: Caller
  /** Lets another client come and go. */
  readonly passing: (id: string) => Promise<void>
  readonly add: (id: string) => Promise<unknown>
  readonly remove: (id: string) => Promise<unknown>
}

/** A server with one client that stays. */
async function withClient<Result>(work: (server: Server) => Promise<Result>): Promise<Result> {
  return await inTemporaryFolder(async folder => {
    const clients = join(folder, 'clients')
    await mkdir(clients)
    const add = (id: string) => addClient(id, clients, readConfig({}), { secret })
    await add('standing')
    const env = {
      FINDLING_CLIENTS: clients,
      FINDLING_STORE: join(folder, 'operator'),
      FINDLING_BACKUP_FOLDER: join(folder, 'backups'),
      FINDLING_MEMORY_MB: MEMORY_MB,
      // As the deployment definitions set it.
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '131072',
      MALLOC_TRIM_THRESHOLD_: '262144',
    }
    return await withServer(
      folder,
      async address => {
        const operator = new Caller(address, secret)
        const passing = async (id: string) => {
          await add(id)
          await passingClient(operator.below(id))
          await remove(id)
        }
        const remove = (id: string) => removeClient(id, clients, { others: [env.FINDLING_BACKUP_FOLDER] })
        return await work({ operator, caller: operator.below('standing'), passing, add, remove })
      },
      { env },
    )
  })
}

async function drive(server: Server, seconds: number, scale: Scale) {
  const { operator, caller, passing } = server
  const shop = new Shop(scale.documents)
  await shop.open(caller)
  await openStanding(caller)
  progress(`soak: ${scale.pastProcesses} processes that are over`)
  await pastProcesses(scale.pastProcesses, caller, shop)
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1_000
  const isOver = () => elapsed() > seconds
  const samples: Sample[] = []
  const lanes = Array.from({ length: LANES }, (_, number): Lane => ({ shop, caller, number, lanes: LANES }))
  const hostile = new HostileLane(server)
  const { secondsBetweenAttacks } = scale
  await Promise.all([
    ...lanes.map(lane => paced(() => act(lane), LANES / scale.actsPerSecond, isOver)),
    paced(at => round(at, { caller, shop, passing }), scale.secondsBetweenRounds, isOver),
    ...(secondsBetweenAttacks === undefined
      ? []
      : [paced(at => hostile.attack(at), secondsBetweenAttacks, isOver)]),
    paced(
      async at => {
        const sample = await held(operator, elapsed())
        if (sample) samples.push(sample)
        if (at > 0 && at % 60 === 0) progress(line(samples.slice(-60), operator))
      },
      1,
      isOver,
    ),
  ])
  return { samples, caller: operator }
}

function line(samples: readonly Sample[], { calls, wrongs }: Caller): string {
  const [least] = stretches(samples, Number.MAX_SAFE_INTEGER)
  if (!least) return 'soak: nothing was measured'
  return `soak: ${Math.round(samples.at(-1)!.seconds / 60)} minutes, resident ${megabytes(least.resident)} MB, ${calls} calls, ${wrongs} wrong`
}

/** Does something again and again, not more often than once in so many seconds. */
async function paced(
  work: (at: number) => Promise<void>,
  everySeconds: number,
  isOver: () => boolean,
): Promise<void> {
  for (let at = 0; !isOver(); at++) {
    const next = performance.now() + everySeconds * 1_000
    await work(at)
    await pause(Math.max(0, next - performance.now()))
  }
}

/** As the server itself tells. */
async function held(operator: Caller, seconds: number): Promise<Sample | undefined> {
  const metrics = await operator.call<string>({ method: 'GET', path: '/metrics' })
  const value = (name: string) => Number(metrics?.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1])
  const sample = {
    seconds,
    resident: value('process_resident_memory_bytes'),
    heap: value('nodejs_heap_size_used_bytes'),
    external: value('nodejs_external_memory_bytes'),
  }
  return Number.isFinite(sample.resident) ? sample : undefined
}
