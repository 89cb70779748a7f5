import { describe, expect, it } from 'vitest'
import { didYouMean, isMistyped, nearestName } from '../src/nearest-name.ts'

const names = ['title', 'description', 'Brand', 'id']

describe('nearestName', () => {
  it.each([
    ['titel', 'title'],
    ['Title', 'title'],
    ['brnd', 'Brand'],
    ['descripton', 'description'],
  ])('takes %s for %s', (name, meant) => {
    expect(nearestName(name, names)).toBe(meant)
  })

  it.each([['price'], ['ix'], [''], ['x'.repeat(10_000_000)]])('knows nothing near %.9s', name => {
    expect(nearestName(name, names)).toBeUndefined()
  })

  it('knows nothing among no names', () => {
    expect(nearestName('title', [])).toBeUndefined()
  })
})

describe('didYouMean', () => {
  it('asks, or says nothing', () => {
    expect(didYouMean('titel', names)).toBe(' (did you mean "title"?)')
    expect(didYouMean('price', names)).toBe('')
  })
})

describe('isMistyped', () => {
  it.each([
    ['Number', true],
    ['nummer', true],
    ['Date', true],
    ['data', false],
    ['numbering', false],
    ['', false],
  ])('tells of %j: %s', (name, is) => {
    expect(isMistyped(name, ['number', 'date'])).toBe(is)
  })
})
