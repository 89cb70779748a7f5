import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Engine, type FieldProfile } from 'findling'
import { type Cost, costOf } from './measure.ts'
import { output, pythonWith } from './programs.ts'
import { short, table } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

/** What pandas says of a field, as peers/frame_profile.py prints it. */
interface FrameField {
  readonly present: number
  readonly missing: number
  readonly distinct: number
  /** How often the most frequent values come. */
  readonly top: readonly number[]
  readonly mean?: number
  readonly quantiles?: readonly number[]
}

interface Frame extends Cost {
  readonly fields: Readonly<Record<string, FrameField>>
  readonly version: string
}

export interface ProfileContest {
  readonly documents: number
  readonly version: string
  /** Reading all and judging no tags. */
  readonly findling: Cost
  /** Parsing the same JSON and counting. */
  readonly pandas: Cost
  /** Figures that both have, and those of them that differ. */
  readonly compared: number
  readonly differences: readonly string[]
}

const frameProfile = fileURLToPath(new URL('./peers/frame_profile.py', import.meta.url))

/** Does a profile say the same as pandas? Undefined, with the reason, where one of what it takes is not here. */
export async function profileContest(evaluationData: string | undefined): Promise<ProfileContest | string> {
  if (!evaluationData) return 'no data at hand'
  const python = await pythonWith('pandas')
  if (!python) return 'pandas is not installed'
  const path = join(evaluationData, 'fashion-styles/documents.jsonl')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return 'fashion-styles is not at hand'
  // A text in the source; lists and objects are not what a table has.
  const documents = text
    .trim()
    .split('\n')
    .map(line => {
      const { path: _, year, ...document } = JSON.parse(line)
      return { ...document, ...(year !== undefined && { year: Number(year) || null }) }
    })
  return await inTemporaryFolder(async folder => {
    const lines = join(folder, 'documents.jsonl')
    await writeFile(lines, documents.map(one => JSON.stringify(one)).join('\n'))
    const frame: Frame = JSON.parse(await output(python, [frameProfile, lines], 'inherit'))
    await using engine = await Engine.open({ store: join(folder, 'store') })
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    for (let from = 0; from < documents.length; from += 5_000)
      await shop.documents.bulk(documents.slice(from, from + 5_000))
    let fields: readonly FieldProfile[] = []
    const findling = await costOf(async () => {
      fields = (await shop.profile({ judged: 0 })).fields
    })
    const { current } = (await shop.latestProfile())!
    const compared: [what: string, own: number, other: number, within: number][] = []
    for (const [name, other] of Object.entries(frame.fields)) {
      const own = fields.find(({ field }) => field === name)
      const now = current?.fields.find(({ field }) => field === name)
      if (!own) throw new Error(`there is no profile of ${name}`)
      const equal = (what: string, one: number, another: number, within = 0) =>
        compared.push([`${name}: ${what}`, one, another, within])
      equal('present', own.present, other.present)
      equal('missing', own.missing, other.missing)
      // An estimate where there are many.
      equal('distinct', own.distinct.count, other.distinct, own.distinct.exact ? 0 : 0.05 * other.distinct)
      if (own.top.exact)
        for (const [i, { count }] of own.top.values.entries()) equal(`top ${i}`, count, other.top[i]!)
      if (now?.distinct !== undefined) equal('distinct now', now.distinct, other.distinct)
      for (const [i, { count }] of (now?.top ?? []).entries()) equal(`top ${i} now`, count, other.top[i]!)
      if (!own.numbers || !other.quantiles) continue
      equal('mean', own.numbers.mean, other.mean!, 1e-9 * Math.abs(other.mean!))
      // Of a sample; all years lie within twelve.
      for (const [i, quantile] of Object.values(own.numbers.quantiles).entries())
        equal(`quantile ${i}`, quantile, other.quantiles[i]!, own.numbers.count > 4_096 ? 1 : 0)
    }
    const differences = compared
      .filter(([, one, another, within]) => !(Math.abs(one - another) <= within))
      .map(([what, one, another]) => `${what} ${one}, of pandas ${another}`)
    const { seconds, cpuSeconds, version } = frame
    return {
      documents: documents.length,
      version,
      ...{ findling, pandas: { seconds, cpuSeconds } },
      compared: compared.length,
      differences,
    }
  })
}

export function profileContestReport(contest: ProfileContest): string {
  const { documents, version, findling, pandas, compared, differences } = contest
  const row = (name: string, { cpuSeconds, seconds }: Cost) => [name, short(cpuSeconds), short(seconds)]
  return [
    `### profile: ${short(documents)} documents of fashion-styles, beside pandas ${version}`,
    table(
      ['who', 'CPU-seconds', 'seconds'],
      [
        row('a profile, with languages, patterns, duplicates and tags', findling),
        row('pandas: JSON, counts, values, quantiles', pandas),
      ],
    ),
    `Of ${short(compared)} figures that both have, ${differences.length} differ${differences.length > 0 ? `: ${differences.slice(0, 20).join('; ')}` : ''}.`,
  ].join('\n\n')
}
