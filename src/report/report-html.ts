import { escaped } from '../plot/markup.ts'
import {
  contentsOf,
  type ReportCell,
  type ReportPart,
  type ReportSection,
  type ReportTable,
  type Statement,
} from './contents.ts'
import { type ReportInput, readReport } from './report-input.ts'
import { toldNumber } from './told-number.ts'

const style = `
:root{color-scheme:light dark;--ink:#1f2328;--faint:#59636e;--ground:#fff;--line:#d1d9e0;--link:#0969da}
@media (prefers-color-scheme:dark){:root{--ink:#f0f6fc;--faint:#9198a1;--ground:#0d1117;--line:#3d444d;--link:#58a6ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:60rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);overflow-wrap:anywhere}
a{color:var(--link)}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.3rem;margin-top:2.5rem;border-bottom:1px solid var(--line)}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));gap:1rem;margin:1rem 0}
.rows{overflow-x:auto;margin:1.25rem 0;border:1px solid var(--line);border-radius:6px}
.rows:focus-visible{outline:2px solid var(--link)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;font-weight:600;padding:.5rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-top:1px solid var(--line);min-width:7rem;max-width:24rem}
td:last-child:not(.number){min-width:14rem}
th{color:var(--faint);font-weight:600}
.number{min-width:4.5rem!important;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.faint{color:var(--faint);font-size:.9rem;padding:0 .5rem}
`

/**
 * A report as one HTML file that loads nothing: what is in the data, what is wrong with it, what people ask and do not find,
 * and what to do next; numbers link to the rows behind them. INVALID_ARGUMENT.
 * @example
 * const html = reportHtml({ profile: await products.profile() })
 * console.log(html.startsWith('<!doctype html>')) // true
 */
export function reportHtml(input: ReportInput): string {
  const report = readReport(input)
  const title = report.title ?? `Report on ${report.profile.dataset}`
  const sections = contentsOf(report)
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    `<header><h1>${escaped(title)}</h1>`,
    `<nav aria-label="Contents"><ul>${sections.map(({ id, heading }) => `<li><a href="#${id}">${heading}</a></li>`).join('')}</ul></nav></header>`,
    '<main>',
    ...sections.map(sectionOf),
    '</main>',
    '</body>',
    '</html>\n',
  ].join('\n')
}

const sectionOf = ({ id, heading, statements, plots, tables }: ReportSection): string =>
  [
    `<section aria-labelledby="${id}">`,
    `<h2 id="${id}">${heading}</h2>`,
    `<ul>${statements.map(statementOf).join('\n')}</ul>`,
    ...(plots.length > 0
      ? [`<div class="plots">${plots.map(plot => `<div>${plot}</div>`).join('\n')}</div>`]
      : []),
    ...tables.map(tableOf),
    '</section>',
  ].join('\n')

function statementOf({ parts, table }: Statement): string {
  const said = parts.map(partOf).join('')
  return `<li>${table ? `<a href="#${table}">${said}</a>` : said}</li>`
}

function tableOf({ id, caption, columns, rows, total }: ReportTable): string {
  const isNumber = columns.map((_, i) => rows.every(row => typeof row[i] === 'object' && 'value' in row[i]))
  const kind = (i: number) => (isNumber[i] ? ' class="number"' : '')
  return [
    `<div class="rows" role="region" tabindex="0" aria-label="${escaped(caption)}" id="${id}"><table><caption>${escaped(caption)}</caption>`,
    `<thead><tr>${columns.map((column, i) => `<th scope="col"${kind(i)}>${escaped(column)}</th>`).join('')}</tr></thead>`,
    `<tbody>${rows.map(row => `<tr>${row.map((cell, i) => `<td${kind(i)}>${cellOf(cell)}</td>`).join('')}</tr>`).join('\n')}</tbody></table>`,
    total > rows.length ? `<p class="faint">The first ${rows.length} of ${total}.</p></div>` : '</div>',
  ].join('\n')
}

const cellOf = (cell: ReportCell): string =>
  typeof cell === 'string' || 'value' in cell ? partOf(cell) : cell.map(partOf).join('')

/** Numbers carry their path in the input. */
const partOf = (part: ReportPart): string =>
  typeof part === 'string'
    ? escaped(part)
    : `<data value="${part.value}" data-figure="${escaped(part.path)}">${toldNumber(part)}</data>`
