import { describe, expect, it } from 'vitest'
import { begun } from '../../src/scheduling/begun.ts'

/** Work that takes so many milliseconds in each of its pieces, and then fails or not. */
function* working(pieces: number, ms: number, isWrong = false): Generator<void, string> {
  for (let piece = 0; piece < pieces; piece++) {
    for (const end = performance.now() + ms; performance.now() < end; );
    yield
  }
  if (isWrong) throw new Error('wrong')
  return 'done'
}

describe('work that is begun in a call', () => {
  it.each([0, 10])('fails there if it is short, and later if it is long, with pieces of %i ms', async ms => {
    expect(() => begun(working(16, ms, true))).toThrow('wrong')
    const rest = begun(working(30, ms, true))
    await expect(rest()).rejects.toThrow('wrong')
  })

  it('gives its result', async () => {
    for (const pieces of [0, 1, 19, 20, 21, 100]) expect(await begun(working(pieces, 0))()).toBe('done')
  })
})
