import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { measuredCommit } from './sources.ts'

/** `42`, `4.2`, `0.42`, `123k`: three digits are all a benchmark on shared cores can say. */
export function short(value: number | undefined): string {
  if (value === undefined) return '-'
  const size = Math.abs(value)
  if (size >= 999_500) return `${(value / 1e6).toPrecision(3)}M`
  if (size >= 9_995) return `${Math.round(value / 1e3)}k`
  if (size >= 999.5) return `${(value / 1e3).toFixed(1)}k`
  return size >= 99.5
    ? value.toFixed(0)
    : size >= 9.95
      ? value.toFixed(1)
      : value.toFixed(size >= 0.1 ? 2 : 3)
}

export const percent = (share: number, digits = 0): string => `${(share * 100).toFixed(digits)} %`

export const times = (factor: number): string => `${short(factor)}x`

/** Columns aligned under their headings as a Markdown table, the first to the left, figures to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map(row => row[column]!.length), 3),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join(' | ')} |`
  const rule = `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(headings), rule, ...rows.map(line)].join('\n')
}

/** For people, on standard output. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n\n`)
}

/** That something is still going on, on standard error. */
export const progress = (text: string): void => {
  process.stderr.write(`  ${text}\n`)
}

export const resultsFolder = new URL('./results/', import.meta.url)

/** What was measured, where and when. */
export interface Measured {
  readonly measuredAt: string
  /** Absent where the sources were not those of a commit. */
  readonly commit?: string
  readonly host: { readonly node: string; readonly processors: readonly string[] }
}

/** For machines: `bench/results/<question>.json`, with what was measured, where and when. */
export async function writeResults(question: string, figures: object): Promise<void> {
  await mkdir(resultsFolder, { recursive: true })
  const host = { node: process.version, processors: cpus().map(({ model }) => model) }
  const commit = await measuredCommit()
  const measured = { measuredAt: new Date().toISOString(), ...(commit && { commit }), host }
  const result = { question, ...measured, ...figures }
  await writeFile(new URL(`${question}.json`, resultsFolder), `${JSON.stringify(result, null, 2)}\n`)
}

/** What `writeResults` wrote, or undefined when nothing has been. */
export function readResults<Figures>(question: string): (Figures & Measured) | undefined {
  const path = new URL(`${question}.json`, resultsFolder)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}
