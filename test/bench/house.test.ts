import { describe, expect, it } from 'vitest'
import { measuresOf } from '../../bench/house/measures.ts'

const tokens = (source: string): number => measuresOf(source).tokens
const numbers = (count: number): string => Array.from({ length: count }, (_, nr) => nr).join(', ')

describe('tokens of a source', () => {
  it('are its words and signs', () => {
    expect(tokens("const a = [1, 'x']")).toBe(8)
    expect(tokens('f(a => a?.b)')).toBe(8)
  })

  it('leave out comments and docstrings', () => {
    expect(tokens('/** A `const`. */\nconst a = 1 // one\n/* two */')).toBe(tokens('const a = 1'))
  })

  it('leave out lists of data, not those of names and calls', () => {
    expect(tokens(`const a = [${numbers(20)}]`)).toBe(tokens('const a = 1') - 1)
    expect(tokens(`const a = { x: [${numbers(15)}], y: [-1, ${numbers(5)}] }`)).toBe(
      tokens('const a = 1') - 1,
    )
    expect(tokens(`const a = [${numbers(19)}]`)).toBe(3 + 2 + 19 + 18)
    expect(tokens(`const a = [f(), ${numbers(20)}]`)).toBe(3 + 2 + 3 + 20 + 20)
  })
})

describe('functions of a source', () => {
  it('have the lines of their bodies, without blank ones and comments', () => {
    const source = `
      function f() {
        // why
        const a = 1

        return a
      }
      const g = () => 5
      class C { m() { return 1 } }`
    expect(measuresOf(source).functions).toEqual([2, 1])
  })
})
