import { existsSync, readFileSync } from 'node:fs'
import { Engine } from 'findling'
import { isolated } from './isolated.ts'
import { MadeCatalogue } from './made-catalogue.ts'
import { type Cost, costOf } from './measure.ts'
import { progress, short, table } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

export interface ProfileResults {
  readonly documents: number
  /** Of all threads: reading twice, and judging the tags of 5,000 documents. */
  readonly judged: Cost
  readonly unjudged: Cost
  /** To read the last one with what is counted after a write. */
  readonly latest: Cost
  /** What the process, with the engine and its threads, took before it began, and at most with each. */
  readonly beforeMegabytes: number
  readonly unjudgedMegabytes: number
  readonly judgedMegabytes: number
  readonly latestMegabytes: number
  /** The longest time that the thread of the event loop worked between two turns; without `/proc`, that passed between them. */
  readonly heldMs: number
}

interface Place {
  readonly path: string
  readonly documents: number
}

/** What does it cost to say what is in the data? */
export async function profile(documents: number): Promise<ProfileResults> {
  return await inTemporaryFolder(async path => {
    progress(`profile: ${short(documents)} documents are stored`)
    await isolated(import.meta.url, fill, { path, documents })
    progress('profile: they are read')
    return { documents, ...(await isolated(import.meta.url, examine, { path, documents })) }
  })
}

export async function fill({ path, documents }: Place): Promise<void> {
  const engine = await Engine.open({ store: path })
  const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'] })
  const catalogue = new MadeCatalogue()
  const { train } = catalogue.collection(documents)
  for (let from = 0; from < documents; from += 5_000) {
    await shop.documents.bulk(
      train.slice(from, from + 5_000).map(({ texts: [title, desc], tag }, i) => {
        const number = from + i
        return {
          id: `p${number}`,
          title: title!,
          desc: desc!,
          tag,
          price: Math.round(1_000 * (1 + ((number * 7919) % 400))) / 100,
          stock: (number * 31) % 50,
          ean: String(4_000_000_000_000 + number * 17),
          released: `20${10 + (number % 15)}-0${1 + (number % 9)}-11`,
        }
      }),
    )
  }
  await engine.close()
}

export async function examine({ path, documents }: Place): Promise<Omit<ProfileResults, 'documents'>> {
  const engine = await Engine.open({ store: path })
  const shop = engine.datasets.get('shop')
  const beforeMegabytes = megabytes()
  let peakMegabytes = beforeMegabytes
  let heldMs = 0
  let last = workedMs()
  const timer = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, megabytes())
    const now = workedMs()
    heldMs = Math.max(heldMs, now - last)
    last = now
  }, 5)
  const unjudged = await costOf(() => shop.profile({ judged: 0 }))
  const unjudgedMegabytes = peakMegabytes
  const judged = await costOf(() => shop.profile())
  const judgedMegabytes = peakMegabytes
  peakMegabytes = megabytes()
  await shop.documents.delete('p0')
  await shop.search('warm')
  const latest = await costOf(async () => {
    const now = (await shop.latestProfile())?.current
    const eans = now?.fields.find(({ field }) => field === 'ean')
    if (eans?.distinct !== documents - 1) throw new Error(`counted ${eans?.distinct} values`)
  })
  clearInterval(timer)
  await engine.close()
  return {
    ...{ judged, unjudged, latest },
    ...{ beforeMegabytes, unjudgedMegabytes, judgedMegabytes, latestMegabytes: peakMegabytes, heldMs },
  }
}

/** Without pages of files, which the system takes back when it needs them; with them where it does not tell them apart. */
function megabytes(): number {
  const told = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const anonymous = /RssAnon:\s+(\d+) kB/.exec(told)
  return anonymous ? Number(anonymous[1]) / 1_024 : process.memoryUsage.rss() / 2 ** 20
}

const scheduling = `/proc/self/task/${process.pid}/schedstat`

/** What the main thread has worked so far: waiting for a processor that others have is not its doing. */
const workedMs = (): number =>
  existsSync(scheduling) ? Number(readFileSync(scheduling, 'utf8').split(' ')[0]) / 1e6 : performance.now()

export function profileReport(results: ProfileResults): string {
  const { documents, judged, unjudged, latest, heldMs } = results
  const { beforeMegabytes, unjudgedMegabytes, judgedMegabytes, latestMegabytes } = results
  const row = (name: string, { cpuSeconds, seconds }: Cost, megabytes: number) => [
    name,
    short(cpuSeconds),
    short(seconds),
    short(megabytes - beforeMegabytes),
  ]
  return [
    `### profile: what is in ${short(documents)} documents`,
    table(
      ['profile', 'CPU-seconds', 'seconds', 'MB more than before'],
      [
        row('without judging tags', unjudged, unjudgedMegabytes),
        row('judging the tags of 5,000 documents', judged, judgedMegabytes),
        row('counted by the index after a write', latest, latestMegabytes),
      ],
    ),
    `The process took ${short(beforeMegabytes)} MB before; the event loop was held for ${short(heldMs)} ms at most.`,
  ].join('\n\n')
}
