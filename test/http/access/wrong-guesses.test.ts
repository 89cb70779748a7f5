import { expect, test } from 'vitest'
import { WrongGuesses } from '../../../adapters/http/src/access/wrong-guesses.ts'

test('remembers 10,000 guesses and forgets the one that has not come for longest', () => {
  const guesses = new WrongGuesses()
  guesses.add('once')
  guesses.add('again and again')
  for (let guess = 0; guess < 9_998; guess++) guesses.add(`guess ${guess}`)
  expect(guesses.has('again and again')).toBe(true)
  guesses.add('one more')
  expect(guesses.has('once')).toBe(false)
  expect(guesses.has('again and again')).toBe(true)
  expect(guesses.has('one more')).toBe(true)
  expect(guesses.has('never')).toBe(false)
})
