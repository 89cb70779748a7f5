import * as z from 'zod'
import type { Route } from '../route.ts'
import type { Statistics } from '../statistics/statistics.ts'
import { Statistics as StatisticsModel } from '../wire/statistics.ts'
import { defineRoute } from './define-route.ts'

const year = z.string().regex(/^(?:-1|[1-9]\d{3})$/, 'a year from 1000 to 9999, or -1 for all')
const month = z.string().regex(/^(?:-1|0?[1-9]|1[0-2])$/, 'a month from 1 to 12, or -1 for all')

const thisYear = String(new Date().getUTCFullYear())
const members = z.object({ year: year.optional(), month: month.optional() })
const periods = [
  { path: '/api/Statistics', example: {} },
  { path: '/api/Statistics/{year}', example: { path: { year: thisYear } } },
  { path: '/api/Statistics/{year}/{month}', example: { path: { year: thisYear, month: '-1' } } },
]

/** Contract, 12. */
export function statisticsRoutes(statistics: Pick<Statistics, 'read'>): Route[] {
  return periods.map(period =>
    defineRoute({
      ...period,
      method: 'GET',
      action: 'Statistics/Get',
      summary: 'Shows how often each action was called, by month',
      members,
      responses: {
        200: { when: 'The counts for the requested time', body: StatisticsModel },
        ...(period.example.path && { 400: { when: 'The year or month is not valid' } }),
      },
      handle: async ({ path: { year, month } }) => ({
        status: 200,
        body: await statistics.read(numberIn(year), numberIn(month)),
      }),
    }),
  )
}

/** -1 means not given: one client always sends both. */
function numberIn(text: string | undefined): number | undefined {
  return text === undefined || text === '-1' ? undefined : Number(text)
}
