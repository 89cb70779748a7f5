import { FindlingError } from '../errors.ts'
import { describeValue } from '../input.ts'

const shownAround = 24

/**
 * QUERY_INVALID, with the position.
 * @param what names the query in the message, as `filter`
 * @param at offset in UTF-16 units
 * @param end where the invalid part ends
 * @param expected what is accepted there
 */
export function invalidQuery(
  what: string,
  text: string,
  at: number,
  end: number,
  expected: string,
): FindlingError {
  const received = at >= text.length ? 'the end' : describeValue(text.slice(at, Math.max(end, at + 1)))
  const from = Math.max(0, at - shownAround)
  const to = Math.min(text.length, at + shownAround)
  const excerpt = `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
  const near = text === '' ? '' : ` of ${JSON.stringify(excerpt)}`
  const message = `${what} has ${received} at offset ${at}${near}; expected ${expected}`
  return new FindlingError('QUERY_INVALID', message, { field: what, received, expected, at, excerpt })
}
