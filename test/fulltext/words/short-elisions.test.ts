import { describe, expect, it } from 'vitest'
import { MadeIndex } from './made-index.ts'

describe('an elision before a single letter', () => {
  const titles = ["C'è ancora domani", "On n'y va pas"]
  const index = new MadeIndex(titles)

  it.each([
    ["c'è", titles[0]],
    ["n'y", titles[1]],
    ["on n'y", titles[1]],
  ])('is found at the end of %s, while it is typed and when it is', (typed, title) => {
    for (const prefix of [true, false])
      expect(index.found(typed, { prefix, operator: 'and' })).toContain(title)
  })
})
