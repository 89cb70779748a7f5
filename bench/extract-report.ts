import type { Format } from './made-files.ts'
import { short, table } from './report.ts'

export interface ExtractResults {
  /** Of each file. */
  readonly characters: number
  readonly formats: readonly {
    readonly format: Format
    readonly bytes: number
    /** Characters of text for a second of CPU, read in a process, with what this one takes for it; not measured without `/proc`. */
    readonly inProcess?: number | undefined
    /** The same of a thread of this process. */
    readonly inThread: number
    readonly peers: readonly { readonly name: string; readonly perCpuSecond: number }[]
  }[]
  /** What was not there to compare with. */
  readonly left: readonly string[]
}

export function extractReport({ characters, formats, left }: ExtractResults): string {
  const megabytes = (bytes: number) => short(bytes / 1e6)
  const isMeasured = formats.some(({ inProcess }) => inProcess !== undefined)
  const inProcesses = (cell: string) => (isMeasured ? [cell] : [])
  const rows = formats.map(({ format, bytes, inProcess, inThread, peers }) => [
    format,
    megabytes(bytes),
    ...inProcesses(inProcess === undefined ? '-' : megabytes(inProcess)),
    megabytes(inThread),
    peers.map(({ name, perCpuSecond }) => `${name} ${megabytes(perCpuSecond)}`).join(', ') || '-',
  ])
  const [rate, process, thread] = ['M characters/CPU-s', 'in a process', 'in a thread']
  const rates = [...inProcesses(process), thread, 'peers'].map(where => `${where}, ${rate}`)
  return [
    `### extract: text of files of ${short(characters)} characters`,
    table(['format', 'file, MB', ...rates], rows),
    ...(left.length > 0 ? [`Left out: ${left.join(', ')}.`] : []),
  ].join('\n\n')
}
