import type { Route } from '../route.ts'
import type { Statistics } from '../statistics/statistics.ts'
import { HttpError } from '../transport/errors.ts'
import { Statistics as StatisticsModel } from '../wire/statistics.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 12. */
export function statisticsRoutes(statistics: Pick<Statistics, 'read'>): Route[] {
  const paths = ['/api/Statistics', '/api/Statistics/{year}', '/api/Statistics/{year}/{month}']
  return paths.map(path =>
    defineRoute({
      method: 'GET',
      path,
      action: 'Statistics/Get',
      summary: 'Tells how often each action was asked for, by month',
      responses: {
        200: { when: 'The counts of the time asked for', body: StatisticsModel },
        ...(path.includes('{') && { 400: { when: 'Year or month are none' } }),
      },
      handle: async ({ path: { year, month } }) => {
        const [ofYear, ofMonth] = [numberIn(year, years), numberIn(month, months)]
        return { status: 200, body: await statistics.read(ofYear, ofMonth) }
      },
    }),
  )
}

interface Range {
  readonly form: RegExp
  readonly expected: string
}

const years: Range = { form: /^[1-9]\d{3}$/, expected: 'a year from 1000 to 9999, or -1 for all' }
const months: Range = { form: /^(?:0?[1-9]|1[0-2])$/, expected: 'a month from 1 to 12, or -1 for all' }

/** -1 is the same as nothing: one client always sends both. */
function numberIn(text: string | undefined, { form, expected }: Range): number | undefined {
  if (text === undefined || text === '-1') return undefined
  if (form.test(text)) return Number(text)
  throw new HttpError(400, `The path has ${JSON.stringify(text.slice(0, 60))}; expected ${expected}.`)
}
