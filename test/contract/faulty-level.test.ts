import { createRequire } from 'node:module'
import { describe } from 'vitest'
import { FaultyLevel } from './faulty-level.ts'
import { tape } from './tape.ts'

interface SuiteOptions {
  test: typeof tape
  factory(options?: object): FaultyLevel
}
// The suite is CommonJS and has no types.
const suite = createRequire(import.meta.url)('abstract-level/test') as (options: SuiteOptions) => void

describe('the database that fails on purpose is an abstract-level database when it does not', () => {
  suite({ test: tape, factory: options => new FaultyLevel(options) })
})
