import { existsSync } from 'node:fs'
import { adapterOf, type Tree, withTrees } from '../compare/trees.ts'
import { isolated } from '../isolated.ts'
import { progress, table } from '../report.ts'
import type { Recorded } from './recorder.ts'
import { recordSide } from './side.ts'

export interface Sameness {
  /** This checkout, and the other. */
  readonly trees: readonly [string, string]
  readonly areas: readonly AreaSameness[]
  readonly differences: readonly Difference[]
}

interface AreaSameness {
  readonly area: string
  readonly calls: number
  readonly different: number
}

export interface Difference {
  readonly area: string
  readonly call: string
  /** Undefined: the call was not made. */
  readonly here: string | undefined
  readonly there: string | undefined
}

/** Whether this checkout answers as a commit, or the built checkout in a folder, does. */
export function same(other: string, areas?: readonly string[]): Promise<Sameness> {
  return withTrees(
    [other],
    async trees => {
      const [here, there] = await Promise.all(trees.map(tree => recorded(tree, areas)))
      return compared([trees[0]!.name, trees[1]!.name], here!, there!)
    },
    { adapter: true },
  )
}

async function recorded(tree: Tree, areas: readonly string[] | undefined): Promise<Recorded[]> {
  const adapter = adapterOf(tree)
  if (!existsSync(adapter)) throw new TypeError(`${tree.name}: the HTTP adapter is not built.`)
  const began = performance.now()
  const { folder, module } = tree
  const calls = await isolated(import.meta.resolve('./side.ts'), recordSide, {
    folder,
    module,
    adapter,
    areas,
  })
  progress(
    `same: ${calls.length} calls of ${tree.name}, ${Math.round((performance.now() - began) / 1_000)} seconds`,
  )
  return calls
}

/** Calls of an area are compared in their order: the same code makes them of both builds. */
export function compared(
  trees: Sameness['trees'],
  here: readonly Recorded[],
  there: readonly Recorded[],
): Sameness {
  const names = [...new Set([...here, ...there].map(({ area }) => area))]
  const differences: Difference[] = []
  const areas = names.map((area): AreaSameness => {
    const [one, other] = [here, there].map(calls => calls.filter(call => call.area === area)) as [
      Recorded[],
      Recorded[],
    ]
    const calls = Math.max(one.length, other.length)
    const before = differences.length
    for (let at = 0; at < calls; at++) {
      const [a, b] = [one[at], other[at]]
      if (a?.answer === b?.answer && a?.call === b?.call) continue
      differences.push({ area, call: (a ?? b)!.call, here: a?.answer, there: b?.answer })
    }
    return { area, calls, different: differences.length - before }
  })
  return { trees, areas, differences }
}

/** Differences that are shown. */
const SHOWN = 10
/** Characters of an answer that are shown around where it differs. */
const AROUND = 160

export function sameReport({ trees, areas, differences }: Sameness): string {
  const calls = areas.reduce((sum, one) => sum + one.calls, 0)
  const rows = areas.map(one => [one.area, `${one.calls}`, `${one.different}`])
  const shown = differences.slice(0, SHOWN).map(one => differenceText(trees, one))
  return [
    `${trees[0]} beside ${trees[1]}:`,
    table(['', 'calls', 'different'], [...rows, ['all', `${calls}`, `${differences.length}`]]),
    ...shown,
  ].join('\n\n')
}

function differenceText([here, there]: Sameness['trees'], difference: Difference): string {
  const texts = [difference.here, difference.there] as const
  const from = Math.max(0, firstDifference(texts[0] ?? '', texts[1] ?? '') - AROUND / 2)
  const cut = (text: string | undefined) =>
    text === undefined ? 'not asked' : `${from > 0 ? '…' : ''}${text.slice(from, from + AROUND)}`
  return `${difference.area}: ${difference.call}\n  ${here}: ${cut(texts[0])}\n  ${there}: ${cut(texts[1])}`
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}
