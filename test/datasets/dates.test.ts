import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileDateFormat, dateFormatNames, defaultDateFormat } from '../../src/datasets/schema/dates.ts'

const pad = (value: number, width: number) => String(value).padStart(width, '0')
const validDate = fc.date({
  min: new Date(Date.UTC(1000, 0, 1)),
  max: new Date(Date.UTC(9998, 11, 31)),
  noInvalidDate: true,
})

interface Written {
  text: string
  /** What of the date the format keeps. */
  time: number
}

const day = (d: Date) => Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate())
const second = (d: Date) => Math.floor(d.getTime() / 1000) * 1000
const ymd = (d: Date, between: string) =>
  [pad(d.getUTCFullYear(), 4), pad(d.getUTCMonth() + 1, 2), pad(d.getUTCDate(), 2)].join(between)
const hms = (d: Date, between: string) =>
  [d.getUTCHours(), d.getUTCMinutes(), d.getUTCSeconds()].map(n => pad(n, 2)).join(between)
const ordinal = (d: Date) => pad((day(d) - Date.UTC(d.getUTCFullYear(), 0, 1)) / 86_400_000 + 1, 3)
const millis = (d: Date) => pad(d.getUTCMilliseconds(), 3)

const writers: [string, (d: Date) => Written][] = [
  [defaultDateFormat, d => ({ text: d.toISOString(), time: d.getTime() })],
  [defaultDateFormat, d => ({ text: ymd(d, '-'), time: day(d) })],
  [defaultDateFormat, d => ({ text: `${ymd(d, '-')}T${hms(d, ':')}`, time: second(d) })],
  [defaultDateFormat, d => ({ text: `${pad(d.getUTCFullYear(), 4)}-${ordinal(d)}`, time: day(d) })],
  ['epoch_millis', d => ({ text: String(d.getTime()), time: d.getTime() })],
  ['epoch_second', d => ({ text: String(second(d) / 1000), time: second(d) })],
  ['basic_date', d => ({ text: ymd(d, ''), time: day(d) })],
  ['basic_date_time', d => ({ text: `${ymd(d, '')}T${hms(d, '')}.${millis(d)}Z`, time: d.getTime() })],
  ['basic_date_time_no_millis', d => ({ text: `${ymd(d, '')}T${hms(d, '')}+0000`, time: second(d) })],
  ['basic_ordinal_date', d => ({ text: pad(d.getUTCFullYear(), 4) + ordinal(d), time: day(d) })],
  ['strict_date_hour_minute_second', d => ({ text: `${ymd(d, '-')}T${hms(d, ':')}`, time: second(d) })],
  ['strict_date_time', d => ({ text: d.toISOString(), time: d.getTime() })],
  ['year', d => ({ text: pad(d.getUTCFullYear(), 4), time: Date.UTC(d.getUTCFullYear(), 0) })],
  ['yyyy/MM/dd HH:mm:ss', d => ({ text: `${ymd(d, '/')} ${hms(d, ':')}`, time: second(d) })],
  ['yyyyMMddHHmmssSSS', d => ({ text: ymd(d, '') + hms(d, '') + millis(d), time: d.getTime() })],
  ['EEE, dd MMM yyyy HH:mm:ss Z', d => ({ text: d.toUTCString().replace('GMT', 'Z'), time: second(d) })],
]

describe('compileDateFormat', () => {
  it.each(writers)('reads with %s what was written', (format, write) => {
    const parse = compileDateFormat(format)
    fc.assert(
      fc.property(validDate, date => {
        const { text, time } = write(date)
        expect(parse(text)).toBe(time)
      }),
    )
  })

  it('accepts a day exactly when the calendar of the language has it', () => {
    const parse = compileDateFormat('strict_date')
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 9999 }), fc.nat(13), fc.nat(32), (year, month, day) => {
        const date = new Date(Date.UTC(year, month - 1, day))
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
        expect(parse(`${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`)).toBe(
          exists ? date.getTime() : undefined,
        )
      }),
    )
  })

  it('counts ISO weeks as 52 or 53 full weeks a year', () => {
    const parse = compileDateFormat('week_date')
    for (let year = 1900; year < 2100; year++) {
      const weeks = parse(`${year}-W53-1`) === undefined ? 52 : 53
      expect(parse(`${year + 1}-W01-1`)! - parse(`${year}-W01-1`)!).toBe(weeks * 7 * 86_400_000)
    }
    expect(parse('2009-W53-7')).toBe(Date.UTC(2010, 0, 3))
  })

  const examples: [format: string, value: string | number, time: number | undefined][] = [
    [defaultDateFormat, '2016', Date.UTC(2016, 0)],
    [defaultDateFormat, '2016-02', Date.UTC(2016, 1)],
    [defaultDateFormat, '2016-02-29T10', Date.UTC(2016, 1, 29, 10)],
    [defaultDateFormat, '2016-02-29T10:30+02:00', Date.UTC(2016, 1, 29, 8, 30)],
    [defaultDateFormat, '2016-02-29T10:30-0530', Date.UTC(2016, 1, 29, 16)],
    [defaultDateFormat, '2016-03-16T13:12:15.5520625Z', Date.UTC(2016, 2, 16, 13, 12, 15, 552)],
    [defaultDateFormat, '2016-03-16T13:12:15,5', Date.UTC(2016, 2, 16, 13, 12, 15, 500)],
    [defaultDateFormat, '2016-W10-3', Date.UTC(2016, 2, 9)],
    [defaultDateFormat, '0001-01-01T00:00:00', Date.parse('0001-01-01T00:00:00Z')],
    [defaultDateFormat, 1456704000000, 1456704000000],
    [defaultDateFormat, '1456704000000', 1456704000000],
    [defaultDateFormat, '-1', -1],
    [defaultDateFormat, '2015-02-29', undefined],
    [defaultDateFormat, '1900-02-29', undefined],
    [defaultDateFormat, '2016-2-9', undefined],
    [defaultDateFormat, '2016-02-29 10:30', undefined],
    [defaultDateFormat, '2016-02-29T24:00', undefined],
    [defaultDateFormat, '2016-02-29T10:60', undefined],
    [defaultDateFormat, '2016-02-29T10:30:60', undefined],
    [defaultDateFormat, '2016-02-29T10:30+24:00', undefined],
    [defaultDateFormat, '2016-02-29T10:30:', undefined],
    [defaultDateFormat, '2016-366', Date.UTC(2016, 11, 31)],
    [defaultDateFormat, '2015-366', undefined],
    [defaultDateFormat, '', undefined],
    [defaultDateFormat, ' 2016', undefined],
    [defaultDateFormat, '9'.repeat(10_000_000), undefined],
    [defaultDateFormat, 1.5, undefined],
    [defaultDateFormat, 9e15, undefined],
    ['date_optional_time', '2016-2-9', Date.UTC(2016, 1, 9)],
    ['date_optional_time', '999999999', undefined],
    ['basic_date', 20160229, undefined],
    ['basic_date', '2016-02-29', undefined],
    ['epoch_second', 1456704000, 1456704000000],
    ['epoch_second', 'x', undefined],
    ['epoch_second', 1700000000.123, 1700000000123],
    ['epoch_second', '1700000000.123', 1700000000123],
    ['epoch_second', '1700000000.1234', undefined],
    ['epoch_second', 1.0005, undefined],
    ['epoch_second', 1e-7, undefined],
    ['epoch_millis', 1.5, undefined],
    ['epoch_millis', 1.0005, undefined],
    ['hour_minute', '10:30', 37_800_000],
    ['dd.MM.yyyy', '29.02.2016', Date.UTC(2016, 1, 29)],
    ['dd.MM.yyyy', '9.2.2016', Date.UTC(2016, 1, 9)],
    ['dd.MM.yyyy', '09.02.16', undefined],
    ['d.M.y', '9.2.2016', Date.UTC(2016, 1, 9)],
    ["xxxx'W'ww", '2016W10', Date.UTC(2016, 2, 7)],
    ['dd.MM.yy', '09.02.16', Date.UTC(2016, 1, 9)],
    ['dd.MM.yy', '09.02.69', Date.UTC(1969, 1, 9)],
    ['dd.MM.yyyy||yyyy-MM-dd', '2016-02-09', Date.UTC(2016, 1, 9)],
    ['yyyy||epoch_second', 60, 60_000],
    ["h 'o''clock' a, MMMM d yyyy", "12 o'clock pm, February 9 2016", Date.UTC(2016, 1, 9, 12)],
    ["h 'o''clock' a, MMMM d yyyy", "12 o'clock AM, feb 9 2016", Date.UTC(2016, 1, 9)],
    ['EEEE dd-MM-yyyy', 'Tuesday 09-02-2016', Date.UTC(2016, 1, 9)],
    ['EEEE dd-MM-yyyy', 'Monday 09-02-2016', undefined],
    ['kk:mm', '24:10', 600_000],
    ['yyyy-MM-dd HH:mm:ss.SSS ZZ', '2016-02-09 01:02:03.4 +01:00', Date.UTC(2016, 1, 9, 0, 2, 3, 400)],
    ['yyyy-MM-dd[ HH:mm]', '2016-02-09', Date.UTC(2016, 1, 9)],
    ['yyyy-MM-dd[ HH:mm]', '2016-02-09 10:30', Date.UTC(2016, 1, 9, 10, 30)],
    // What begins like a day, and is none.
    ['[dd.MM.yyyy][yyyy-MM]', '09.02.2016', Date.UTC(2016, 1, 9)],
    ['[dd.MM.yyyy][yyyy-MM]', '2016-02', Date.UTC(2016, 1)],
    ['[HH:mm ]yyyy', '2016', Date.UTC(2016, 0)],
  ]
  it.each(examples)('reads with %s the value %.60s', (format, value, time) => {
    expect(compileDateFormat(format)(value)).toBe(time)
  })

  it('compiles every name it lists', () => {
    for (const name of dateFormatNames) expect(compileDateFormat(name)('x')).toBeUndefined()
    expect(dateFormatNames).toContain('strict_date_optional_time')
    expect(dateFormatNames).not.toContain('strict_basic_date')
  })

  const unknown = [
    '',
    '||',
    'date_',
    'strict_basic_date',
    'yyyy-MM-dd zzz',
    "yyyy'T",
    'qq',
    '-',
    '[yyyy',
    'yyyy]',
    'dddd',
    'xx',
  ]
  it.each([...unknown, 'y'.repeat(1_000_000)])(
    'refuses the format %.40j and names the accepted ones',
    format => {
      expect(() => compileDateFormat(format, 'made.format')).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          details: expect.objectContaining({
            field: 'made.format',
            expected: expect.stringContaining('basic_ordinal_date'),
          }),
        }),
      )
    },
  )
})

describe('the last moment that a date names', () => {
  const isDayAfter: [format: string, date: string, next: string][] = [
    ['strict_date_optional_time', '2024', '2025'],
    ['strict_date_optional_time', '2024-02', '2024-03'],
    ['strict_date_optional_time', '2024-12', '2025-01'],
    ['strict_date_optional_time', '2024-02-29', '2024-03-01'],
    ['strict_date_optional_time', '2024-060', '2024-061'],
    ['strict_date_optional_time', '2024-W09', '2024-W10'],
    ['strict_date_optional_time', '2024-W09-7', '2024-W10-1'],
    ['strict_date_optional_time', '2024-02-29T23', '2024-03-01T00'],
    ['strict_date_optional_time', '2024-02-29T23:59', '2024-03-01T00:00'],
    ['strict_date_optional_time', '2024-02-29T23:59:59+02:00', '2024-03-01T00:00:00+02:00'],
    ['strict_date_optional_time', '2024-02-29T23:59:59.998', '2024-02-29T23:59:59.999'],
    ['weekyear', '2020', '2021'],
    ['dd.MM.yyyy', '31.12.2024', '01.01.2025'],
    ['hour_minute', '10:59', '11:00'],
    ['hh a', '11 AM', '12 PM'],
    ['epoch_second', '1700000000', '1700000001'],
    ['epoch_second', '1700000000.123', '1700000000.124'],
    ['epoch_millis', '1700000000', '1700000001'],
  ]
  it.each(isDayAfter)('in %s: %s ends where %s begins', (format, date, next) => {
    const parse = compileDateFormat(format)
    expect(parse(date, true)! + 1).toBe(parse(next))
    expect(parse(date)).toBeLessThanOrEqual(parse(date, true)!)
  })
})
