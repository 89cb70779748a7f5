import { judgedCollections } from './collections.ts'
import { isolated } from './isolated.ts'
import { type Interval, mean, pairedBootstrap } from './metrics.ts'
import { type Scores, scoreCatalogue, scoreJudged, variants } from './relevance-scores.ts'
import { print, table, writeResults } from './report.ts'

const module = import.meta.resolve('./relevance-scores.ts')
const names = variants.map(({ name }) => name)

/** How good are the first ten answers, and how good do they stay when a query is misspelt? */
export async function relevance({ evaluationData }: { evaluationData: string | undefined }): Promise<void> {
  const judged = []
  for (const collection of judgedCollections(evaluationData))
    judged.push(await judge(evaluationData!, collection))
  if (judged.length === 0) print('# relevance: no judged collections at hand, skipped')
  await writeResults('relevance', { judged, catalogue: await checkCatalogue() })
}

async function judge(evaluationData: string, collection: string): Promise<object> {
  const scores = await inTwoLanes(names, variant =>
    isolated(module, scoreJudged, { variant, evaluationData, collection }),
  )
  const ours = scores[0]!
  const figures = scores.map((theirs, at) => ({ name: names[at]!, ...compare(ours, theirs) }))
  print(`# relevance: ${collection}, ${ours.clean.length} queries, nDCG@10; our lead with its 95 % interval`)
  const rows = figures.map(({ name, clean, cleanLead, typo, typoLead }, at) => [
    name,
    clean.toFixed(3),
    at === 0 ? '' : lead(cleanLead),
    typo.toFixed(3),
    at === 0 ? '' : lead(typoLead),
  ])
  print(table([collection, 'clean', 'we lead by', 'one typo', 'we lead by'], rows))
  return { collection, figures }
}

const compare = (ours: Scores, theirs: Scores) => ({
  clean: mean(theirs.clean),
  typo: mean(theirs.typo),
  cleanLead: pairedBootstrap(ours.clean, theirs.clean),
  typoLead: pairedBootstrap(ours.typo, theirs.typo),
})

const signed = (value: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`

const lead = ({ difference, low, high }: Interval): string =>
  `${signed(difference)} (${signed(low)} to ${signed(high)})`

async function checkCatalogue(): Promise<object> {
  const verdicts = await inTwoLanes(names, variant => isolated(module, scoreCatalogue, { variant }))
  const kinds = [...new Set(verdicts[0]!.map(({ kind }) => kind))]
  const figures = verdicts.map((given, at) => ({
    name: names[at]!,
    right: given.filter(({ right }) => right).length,
    rightAt1: given.filter(({ rightAt1 }) => rightAt1).length,
    ofKind: kinds.map(kind => given.filter(verdict => verdict.kind === kind && verdict.right).length),
  }))
  const asked = (kind: string) => verdicts[0]!.filter(verdict => verdict.kind === kind).length
  print('# relevance: the catalogue of this repository, queries answered as expected')
  const rows = figures.map(({ name, right, rightAt1, ofKind }) =>
    [name, right, rightAt1, ...ofKind].map(String),
  )
  const headings = [
    `all ${verdicts[0]!.length}`,
    'by the first hit',
    ...kinds.map(kind => `${kind} ${asked(kind)}`),
  ]
  print(table(['catalogue', ...headings], rows))
  return { kinds, figures }
}

/** Nothing is timed here, so two contestants may run beside each other. Results in the order of the items. */
async function inTwoLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const lane = async () => {
    for (const [at, item] of queue) results[at] = await work(item)
  }
  await Promise.all([lane(), lane()])
  return results
}
