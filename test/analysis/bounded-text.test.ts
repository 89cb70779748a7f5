import { expect, it } from 'vitest'
import { boundedText } from '../../src/analysis/bounded-text.ts'
import { readInput } from '../../src/input.ts'

const expectedOf = (text: string) => readInput(boundedText(20), text).issues?.map(({ expected }) => expected)

it('reports a text that is too long once, also one that is so only with its ligatures expanded', () => {
  expect(expectedOf('x'.repeat(20))).toBeUndefined()
  expect(expectedOf('x'.repeat(21))).toEqual(['text of at most 20 characters'])
  expect(expectedOf('ﷺ'.repeat(2))).toEqual(['at most 20 characters, ligatures written out'])
})
