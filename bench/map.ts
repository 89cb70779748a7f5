import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DatasetMap, Engine } from 'findling'
import { type Cost, costOf } from './measure.ts'
import { progress, short, table } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

export interface MapResults {
  readonly points: number
  readonly labels: number
  readonly cost: Cost
  /** Of 12 neighbours, by the words of titles and descriptions (tf-idf, cosines), and of chance for comparison; not without scikit-learn. */
  readonly trustworthiness: number | undefined
  readonly chance: number | undefined
}

const DOCUMENTS = 2_000

/** Is near on a map what is near in truth? Products of fashion-styles, judged by scikit-learn. */
export async function mapped(evaluationData: string | undefined): Promise<MapResults | undefined> {
  const path = evaluationData && join(evaluationData, 'fashion-styles/documents.jsonl')
  if (!path || !existsSync(path)) return undefined
  const engine = await Engine.open()
  const styles = await engine.datasets.create('styles', { interpretedFields: ['title', 'desc'] })
  progress('map: documents are stored')
  await styles.documents.import(path)
  let map: DatasetMap | undefined
  progress(`map: ${DOCUMENTS} of them are mapped`)
  const cost = await costOf(async () => {
    map = await styles.map({ sample: DOCUMENTS })
  })
  const texts = await Promise.all(
    map!.points.map(async ({ id }) => {
      const { title, desc } = (await styles.documents.get(id)) as { title?: string; desc?: string }
      return `${title ?? ''} ${desc ?? ''}`
    }),
  )
  await engine.close()
  const judged = await judge(map!, texts)
  return { points: map!.points.length, labels: map!.labels.length, cost, ...judged }
}

const script = `
import json, sys
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.manifold import trustworthiness
given = json.load(open(sys.argv[1]))
words = TfidfVectorizer(sublinear_tf=True, stop_words='english').fit_transform(given['texts']).toarray()
trust = lambda places: trustworthiness(words, places, n_neighbors=12, metric='cosine')
print(json.dumps({'trustworthiness': trust(given['places']), 'chance': trust(given['places'][1:] + given['places'][:1])}))
`

/** As installed with the system: by apt-get install python3-sklearn. */
async function judge(
  { points }: DatasetMap,
  texts: readonly string[],
): Promise<Pick<MapResults, 'trustworthiness' | 'chance'>> {
  return await inTemporaryFolder(async folder => {
    const file = join(folder, 'map.json')
    await writeFile(file, JSON.stringify({ texts, places: points.map(({ x, y }) => [x, y]) }))
    try {
      const told = execFileSync('/usr/bin/python3', ['-c', script, file], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      return JSON.parse(told) as { trustworthiness: number; chance: number }
    } catch {
      return { trustworthiness: undefined, chance: undefined }
    }
  })
}

export function mapReport({ points, labels, cost, trustworthiness, chance }: MapResults): string {
  const said = (share: number | undefined) =>
    share === undefined ? 'no scikit-learn here' : share.toFixed(3)
  return [
    `### map: ${short(points)} documents of fashion-styles in the plane`,
    table(
      ['trustworthiness, 12 neighbours', 'of chance', 'labels', 'CPU-seconds', 'seconds'],
      [[said(trustworthiness), said(chance), String(labels), short(cost.cpuSeconds), short(cost.seconds)]],
    ),
  ].join('\n\n')
}
