import { describe, expect, it } from 'vitest'
import { Deadline } from '../../src/scheduling/deadline.ts'

describe('a call with a deadline', () => {
  it('never goes on before the work that it waits for is done, but ends', async () => {
    for (let i = 0; i < 300; i++) {
      const deadline = Deadline.of({ timeout: 2 })!
      deadline.begin()
      // So that what is left is no whole number of milliseconds.
      const until = performance.now() + (i % 10) / 10
      while (performance.now() < until);
      await expect(deadline.wait(new Promise(() => {}))).rejects.toMatchObject({ code: 'SEARCH_TIMEOUT' })
    }
  })
})
