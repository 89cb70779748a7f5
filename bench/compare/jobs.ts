import type { QueryKind } from '../contestant.ts'

export const asked = [
  'term',
  'or',
  'and',
  'phrase',
  'typo',
  'prefix',
  'boosts',
] as const satisfies QueryKind[]

export const jobs = [
  ...asked,
  'whole documents',
  'one word of three fields',
  'three words of three fields',
  'word after insert',
  'add and find',
  'add and find on disk',
  're-open',
] as const
export type Job = (typeof jobs)[number]

/** What `guard` looks at. */
export const guarded = [
  'term',
  'or',
  'and',
  'typo',
  'prefix',
  'add and find',
  're-open',
] as const satisfies Job[]
