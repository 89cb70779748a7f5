import fc from 'fast-check'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { QueryIds } from '../../../adapters/http/src/analytics/query-ids.ts'
import { anyCharacter } from '../../any-character.ts'

let engine: Engine
let ids: QueryIds
beforeAll(async () => {
  engine = await Engine.open()
  ids = new QueryIds(engine.namespace('http-analytics'))
})
afterAll(() => engine.close())

describe('a signed id of an answer', () => {
  test('is read as what was signed, also by another process with the same store', async () => {
    const signed = await ids.sign('abc.123')
    const others = new QueryIds(engine.namespace('http-analytics'))
    expect([await ids.read(signed), await others.read(signed)]).toEqual(['abc.123', 'abc.123'])
  })

  test('says nothing of what was signed, and is another one each time', async () => {
    const [one, other] = [await ids.sign('query-1'), await ids.sign('query-1')]
    expect(one).not.toBe(other)
    for (const text of [one, Buffer.from(one, 'base64url').toString('latin1')])
      expect(text).not.toContain('query')
  })

  test('is none of another installation', async () => {
    const other = await Engine.open()
    const signed = await new QueryIds(other.namespace('http-analytics')).sign('abc')
    expect(await ids.read(signed)).toBeUndefined()
    await other.close()
  })

  test('is none once any of it is changed, and no other text is one', async () => {
    const signed = await ids.sign('query-1')
    const changed = fc
      .tuple(fc.nat(signed.length - 1), fc.string({ minLength: 1, maxLength: 1, unit: anyCharacter }))
      .map(([at, sign]) => signed.slice(0, at) + sign + signed.slice(at + 1))
      .filter(text => text !== signed)
    const wrong = fc.oneof(changed, fc.string({ unit: anyCharacter, maxLength: 300 }))
    await fc.assert(
      fc.asyncProperty(wrong, async text => {
        expect(await ids.read(text)).toBeUndefined()
      }),
    )
    const hostile = ['', '.', `${signed}=`, `${signed}\0`, signed.toUpperCase(), `A${signed}`]
    for (const text of [...hostile, '\ud800.\udc00', 'x'.repeat(10_000_000)])
      expect(await ids.read(text)).toBeUndefined()
  })
})
