import { describe, expect, test } from 'vitest'
import { moment, momentIn } from '../../../adapters/http/src/wire/moments.ts'

describe('a day or a moment', () => {
  test.each([
    ['2027-05-01', 'UTC', '2027-05-01T00:00:00Z'],
    ['2027-05-01', 'Europe/Berlin', '2027-04-30T22:00:00Z'],
    ['2027-01-15', 'Europe/Berlin', '2027-01-14T23:00:00Z'],
    ['2027-05-01', 'America/New_York', '2027-05-01T04:00:00Z'],
    ['2027-05-01', 'Asia/Kolkata', '2027-04-30T18:30:00Z'],
    ['2027-05-01', 'Pacific/Kiritimati', '2027-04-30T10:00:00Z'],
    // The days on which the clocks are changed, and those after them.
    ['2027-03-28', 'Europe/Berlin', '2027-03-27T23:00:00Z'],
    ['2027-03-29', 'Europe/Berlin', '2027-03-28T22:00:00Z'],
    ['2027-10-31', 'Europe/Berlin', '2027-10-30T22:00:00Z'],
    ['2027-11-01', 'Europe/Berlin', '2027-10-31T23:00:00Z'],
    ['2027-03-14', 'America/New_York', '2027-03-14T05:00:00Z'],
    ['2027-11-08', 'America/New_York', '2027-11-08T05:00:00Z'],
    // The clocks skip midnight, show it twice, or are set back before it.
    ['2027-09-05', 'America/Santiago', '2027-09-05T04:00:00Z'],
    ['2027-09-06', 'America/Santiago', '2027-09-06T03:00:00Z'],
    ['2027-04-04', 'America/Santiago', '2027-04-04T04:00:00Z'],
    ['2027-03-14', 'America/Havana', '2027-03-14T05:00:00Z'],
    ['2027-11-07', 'America/Havana', '2027-11-07T04:00:00Z'],
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['2028-02-29', 'UTC', '2028-02-29T00:00:00Z'],
    ['2027-05-01T12:00:00Z', 'Europe/Berlin', '2027-05-01T12:00:00Z'],
    ['2027-05-01T12:00:00.25+02:00', 'UTC', '2027-05-01T10:00:00.250Z'],
  ])('%s in %s is %s', (text, timeZone, expected) => {
    expect(moment.safeParse(text).success).toBe(true)
    expect(momentIn(text, timeZone)).toBe(Date.parse(expected))
  })

  test.each([
    ...['', 'yesterday', '2027', '2027-05', '2027-13-01', '2027-05-01T25:00:00Z', '2027-05-01T12:00:00'],
    ...['2027-05-01 12:00', '1e9', '0', ' 2027-05-01', '+012027-05-01', '2027-05-01T12:00:00Z '],
    ...['2027-02-31', '2027-02-29', '2027-04-31', '2027-02-31T12:00:00Z', '2027-02-30T23:00:00+02:00'],
    '9'.repeat(1_000_000),
  ])('is not %.30s', text => {
    expect(moment.safeParse(text).success).toBe(false)
  })
})
