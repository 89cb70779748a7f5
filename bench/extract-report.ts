import type { Format } from './made-files.ts'
import { short, table } from './report.ts'

export interface ExtractResults {
  /** Of each file. */
  readonly characters: number
  readonly formats: readonly {
    readonly format: Format
    readonly bytes: number
    /** Characters of text for a second of CPU, of all threads. */
    readonly perCpuSecond: number
    readonly peers: readonly { readonly name: string; readonly perCpuSecond: number }[]
  }[]
  /** What was not there to compare with. */
  readonly left: readonly string[]
}

export function extractReport({ characters, formats, left }: ExtractResults): string {
  const megabytes = (bytes: number) => short(bytes / 1e6)
  const rows = formats.map(({ format, bytes, perCpuSecond, peers }) => [
    format,
    megabytes(bytes),
    megabytes(perCpuSecond),
    peers.map(({ name, perCpuSecond }) => `${name} ${megabytes(perCpuSecond)}`).join(', ') || '-',
  ])
  const headings = ['format', 'file, MB', 'M characters/CPU-s', 'peers, M characters/CPU-s']
  return [
    `### extract: text of files of ${short(characters)} characters`,
    table(headings, rows),
    ...(left.length > 0 ? [`Left out: ${left.join(', ')}.`] : []),
  ].join('\n\n')
}
