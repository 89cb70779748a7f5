import { shortened, widthOf } from '../plot/markup.ts'
import {
  contentsOf,
  type ReportCell,
  type ReportPart,
  type ReportSection,
  type ReportTable,
} from './contents.ts'
import { type ReportInput, readReport } from './report-input.ts'
import { toldNumber } from './told-number.ts'

const MOST_ROWS = 10
const WIDEST_CELL = 40
/** The last column may be wider, since nothing follows it. */
const WIDEST_LAST = 100

/** Characters that a terminal would interpret as commands or line ends. */
const controls = /[\p{Cc}\p{Cf}\u2028\u2029]|\p{Surrogate}/gu

/**
 * The same report as text for a terminal, with the first ten rows of each table. INVALID_ARGUMENT.
 * @example
 * const text = reportText({ profile: await products.profile() })
 * console.log(text.includes('What is in the data')) // true
 */
export function reportText(input: ReportInput): string {
  const report = readReport(input)
  const title = plain(report.title ?? `Report on ${report.profile.dataset}`)
  return `${[`${title}\n${'='.repeat(widthOf(title))}`, ...contentsOf(report).map(sectionOf)].join('\n\n')}\n`
}

const sectionOf = ({ heading, statements, tables }: ReportSection): string =>
  [
    `${heading}\n${'-'.repeat(heading.length)}`,
    statements.map(({ parts }) => `- ${parts.map(partOf).join('')}`).join('\n'),
    ...tables.map(tableOf),
  ].join('\n\n')

function tableOf({ caption, columns, rows, total }: ReportTable): string {
  const shown = rows.slice(0, MOST_ROWS)
  const cells = [
    columns.map(column => shortened(plain(column), WIDEST_CELL)),
    ...shown.map(row => row.map((cell, i) => cellOf(cell, i === row.length - 1))),
  ]
  const widths = columns.map((_, i) => Math.max(...cells.map(row => widthOf(row[i]!))))
  const isNumber = columns.map((_, i) => shown.every(row => typeof row[i] === 'object' && 'value' in row[i]))
  const lines = cells.map(row =>
    row
      .map((cell, i) => {
        const room = ' '.repeat(widths[i]! - widthOf(cell))
        return isNumber[i] ? room + cell : cell + room
      })
      .join('  ')
      .trimEnd(),
  )
  const rest = total > shown.length ? [`  and ${total - shown.length} more`] : []
  return [plain(caption), ...lines.map(line => `  ${line}`), ...rest].join('\n')
}

const cellOf = (cell: ReportCell, isLast: boolean): string =>
  shortened(
    typeof cell === 'string' || 'value' in cell ? partOf(cell) : cell.map(partOf).join(''),
    isLast ? WIDEST_LAST : WIDEST_CELL,
  )

const partOf = (part: ReportPart): string => (typeof part === 'string' ? plain(part) : toldNumber(part))
const plain = (text: string): string => text.replace(controls, ' ')
