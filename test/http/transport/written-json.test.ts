import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writtenJson } from '../../../adapters/http/src/answer/written-json.ts'
import { leastLongestTurn } from '../../longest-turn.ts'

const textOf = (json: string | Uint8Array[]) => (typeof json === 'string' ? json : `${Buffer.concat(json)}`)

describe('the JSON of an answer', () => {
  test('is that of JSON.stringify()', async () => {
    const odd = fc.constantFrom(undefined, Number.NaN, -0, new Date(0), () => 1, {
      toJSON: () => ['own'],
      list: [],
    })
    const value = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.jsonValue(),
        odd,
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')),
        fc.record({ Results: fc.array(tie('value')), Total: fc.integer(), Left: fc.constant(undefined) }),
      ),
    })).value
    await fc.assert(
      fc.asyncProperty(value, async given => {
        expect(textOf(await writtenJson(given))).toBe(JSON.stringify(given) ?? 'null')
      }),
      { numRuns: 200 },
    )
  })

  test('of a long one is written in short stretches', async () => {
    const row = { StatusCode: 400, Id: null, Error: 'é'.repeat(60) }
    const answer = { Results: Array.from({ length: 100_000 }, () => row) }
    let json: string | Uint8Array[] = ''
    const turn = await leastLongestTurn(100, async () => {
      json = await writtenJson(answer)
    })
    expect(turn).toBeLessThan(100)
    expect(textOf(json)).toBe(JSON.stringify(answer))
  })
})
