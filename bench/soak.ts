import { setTimeout as pause } from 'node:timers/promises'
import { secret, withServer } from './http-server.ts'
import { print, progress, table, writeResults } from './report.ts'
import { Caller } from './soak/caller.ts'
import { growthPerSecond, type Sample, type Stretch, stretches } from './soak/growth.ts'
import { openStanding, round } from './soak/rounds.ts'
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
/** In ten minutes, when everything is warm. */
const WANTED_GROWTH = 1e6
/** A short run sees the heap still finding its size. */
const MOST_GROWTH_QUICK = 200e6

interface Scale {
  readonly documents: number
  readonly actsPerSecond: number
  readonly secondsBetweenRounds: number
  /** Seconds of which the least that was held counts. */
  readonly stretch: number
}

const scales: Record<'full' | 'quick', Scale> = {
  full: { documents: 3_000, actsPerSecond: 20, secondsBetweenRounds: 15, stretch: 60 },
  quick: { documents: 600, actsPerSecond: 40, secondsBetweenRounds: 0.5, stretch: 2 },
}

/** Does a server that is asked everything, for long, answer as it should and stay as large as it is? */
export async function soak({ seconds, quick }: SoakTask): Promise<void> {
  const scale = scales[quick ? 'quick' : 'full']
  const { samples, caller } = await inTemporaryFolder(folder =>
    withServer(folder, async address => await drive(address, seconds, scale)),
  )
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
  const warm = rows.slice(Math.min(Math.ceil(rows.length / 3), TEN_MINUTES / scale.stretch))
  if (!quick) await tellGrowth(warm, { seconds, calls: caller.calls, wrong: caller.wrongs, stretches: rows })
  if (caller.wrongs > 0) throw new Error(`${caller.wrongs} wrong answers: ${caller.wrong.join('\n')}`)
  const grown = warm.at(-1)!.resident - warm[0]!.resident
  if (quick && grown > MOST_GROWTH_QUICK) throw new Error(`the server has grown by ${megabytes(grown)} MB`)
}

async function tellGrowth(warm: readonly Stretch[], figures: object): Promise<void> {
  const growth = (part: (typeof parts)[number]) =>
    TEN_MINUTES * growthPerSecond(warm.map(row => [row.seconds, row[part]]))
  const growthInTenMinutes = {
    resident: growth('resident'),
    heap: growth('heap'),
    external: growth('external'),
  }
  const told = parts.map(part => `${part} ${megabytes(growthInTenMinutes[part])} MB`).join(', ')
  print(
    `Growth in ten minutes, of the last ${warm.length} minutes: ${told} (wanted of resident: below ${megabytes(WANTED_GROWTH)}).`,
  )
  await writeResults('soak', { ...figures, growthInTenMinutes })
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

async function drive(address: string, seconds: number, scale: Scale) {
  const caller = new Caller(address, secret)
  const shop = new Shop(scale.documents)
  await shop.open(caller)
  await openStanding(caller)
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1_000
  const isOver = () => elapsed() > seconds
  const samples: Sample[] = []
  const lanes = Array.from({ length: LANES }, (_, number): Lane => ({ shop, caller, number, lanes: LANES }))
  await Promise.all([
    ...lanes.map(lane => paced(() => act(lane), LANES / scale.actsPerSecond, isOver)),
    paced(at => round(at, caller, shop), scale.secondsBetweenRounds, isOver),
    paced(
      async at => {
        const sample = await held(caller, elapsed())
        if (sample) samples.push(sample)
        if (at > 0 && at % 60 === 0) progress(line(samples.slice(-60), caller))
      },
      1,
      isOver,
    ),
  ])
  return { samples, caller }
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
async function held(caller: Caller, seconds: number): Promise<Sample | undefined> {
  const metrics = await caller.call<string>({ method: 'GET', path: '/metrics' })
  const value = (name: string) => Number(metrics?.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1])
  const sample = {
    seconds,
    resident: value('process_resident_memory_bytes'),
    heap: value('nodejs_heap_size_used_bytes'),
    external: value('nodejs_external_memory_bytes'),
  }
  return Number.isFinite(sample.resident) ? sample : undefined
}
