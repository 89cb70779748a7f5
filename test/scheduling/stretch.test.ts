import { describe, expect, it } from 'vitest'
import { Deadline } from '../../src/scheduling/deadline.ts'
import { LoopTurn } from '../../src/scheduling/loop-turn.ts'
import { Stretch } from '../../src/scheduling/stretch.ts'

const busyUntil = (time: number) => {
  while (performance.now() <= time);
}

describe('work with a deadline', () => {
  it.each([
    ['of its own', undefined],
    ['shared with others', new LoopTurn()],
  ])('ends with the deadline, in the midst of a stretch %s', async (_, turn) => {
    const deadline = Deadline.of({ timeout: 1 })
    const stretch = new Stretch(deadline, turn)
    expect(stretch.isOver).toBe(false)
    deadline?.begin()
    busyUntil(performance.now() + 1)
    expect(stretch.isOver).toBe(true)
    await expect(stretch.pause()).rejects.toMatchObject({ code: 'SEARCH_TIMEOUT' })
  })

  it('ends when its caller aborts it', async () => {
    const caller = new AbortController()
    const stretch = new Stretch(Deadline.of({ signal: caller.signal }))
    expect(stretch.isOver).toBe(false)
    caller.abort()
    expect(stretch.isOver).toBe(true)
    await expect(stretch.pause()).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})
