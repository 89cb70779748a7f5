import { expect, it } from 'vitest'
import { ownFile } from '../src/own-file.ts'
import { failureOf } from './engine/engines.ts'

it('is where the module is, and refused with what helps where a bundler has left no address', async () => {
  const url = new URL('./worker.cjs', import.meta.url)
  expect(ownFile(() => url)).toBe(url)
  const packed = { url: undefined as unknown as string }
  const refused = await failureOf(() => ownFile(() => new URL('./worker.cjs', packed.url)))
  expect([refused.code, refused.message]).toEqual([
    'WORKER_FAILED',
    expect.stringContaining('make the package findling external'),
  ])
})
