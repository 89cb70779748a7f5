import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Api, Sent } from './api.ts'

/** Has a named key made, and gives what is to be sent with it. */
export async function keyOf({ send }: Pick<Api, 'send'>, about: object): Promise<Sent & { id: string }> {
  const { status, body } = await send('POST', '/api/Keys', { body: { Name: randomUUID(), ...about } })
  expect([status, body.Errors]).toEqual([201, undefined])
  return { headers: { Authorization: `Bearer ${body.Key}` }, id: body.Id }
}
