import { expect, test } from 'vitest'
import type { Route } from '../../../adapters/http/src/route.ts'
import { routes, serve } from './fixture.ts'

test('calls beyond the limit are told to come again at once, and the next one after an answer is taken', async () => {
  let begun = 0
  let release: () => void
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const held: Route = {
    ...routes[0]!,
    path: '/api/Held',
    handle: async () => {
      begun++
      await released
      return { status: 200 }
    },
  }
  const { get } = await serve({ config: { maxConcurrent: 2 }, app: { routes: [held, ...routes] } })
  const two = [get('/api/Held'), get('/api/Held')]
  await expect.poll(() => begun).toBe(2)
  const refused = await get('/api/Shown/1')
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1'])
  expect(await refused.json()).toEqual({ Errors: [expect.stringContaining('already working on 2 calls')] })
  // What says whether the server lives, and what refuses strangers, takes no place.
  expect((await get('/health')).status).toBe(200)
  expect((await get('/api/Shown/1', {})).status).toBe(401)
  release!()
  for (const answer of await Promise.all(two)) expect(answer.status).toBe(200)
  expect((await get('/api/Shown/1')).status).toBe(200)
})

test('0 is no limit', async () => {
  const { get } = await serve({ config: { maxConcurrent: 0 } })
  expect((await get('/api/Shown/1')).status).toBe(200)
})
