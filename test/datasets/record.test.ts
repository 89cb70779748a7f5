import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentIn, draft } from '../../src/datasets/record.ts'
import { fileTexts, setFileTexts } from '../../src/file-texts.ts'
import type { JsonObject } from '../../src/json.ts'
import { atOnce } from '../../src/scheduling/at-once.ts'
import { inStretches } from '../../src/scheduling/stretch.ts'
import { anyCharacter } from '../any-character.ts'
import { leastLongestTurn } from '../longest-turn.ts'

/** Milliseconds that one turn of the event loop may compute. Work stops after 8 and goes on in the next turn. */
const LONGEST_TURN = 60

/** Longer than what is written and read at once, whichever of their letters that ends with. */
const texts = fc
  .tuple(fc.string({ unit: anyCharacter, minLength: 1 }), fc.integer({ min: 60_000, max: 140_000 }))
  .map(([text, length]) => text.repeat(Math.ceil(length / text.length)))

describe('a stored document', () => {
  it('has the JSON that JSON.stringify() gives, however long its texts, lists and names are', () => {
    const value = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue(),
        texts,
        fc.array(tie('value')),
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__'), texts), tie('value'), { maxKeys: 4 }),
      ),
    })).value
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), given => {
        const document = JSON.parse(JSON.stringify(given)) as JsonObject
        const stored = atOnce(draft(document))
        expect(stored.subarray(20).toString() === JSON.stringify(document)).toBe(true)
        expect(documentIn(stored)).toEqual(document)
      }),
      { numRuns: 60 },
    )
  })

  it('keeps long texts of its files behind it', () => {
    const document = { id: 'a', file: 'é'.repeat(100_000) }
    const text = { file: '😀a'.repeat(100_000) }
    const read = documentIn(atOnce(draft(setFileTexts({ ...document }, text))))
    expect(read).toEqual(document)
    expect(fileTexts(read)).toEqual(text)
  })

  it('of sixteen million letters of any kind is written in short stretches', async () => {
    for (const letters of ['漢字', '\u0301', 'é', '"', '😀']) {
      // In one piece, as texts that were read are.
      const title = Buffer.from(letters.repeat(16_000_000 / letters.length)).toString()
      const turn = await leastLongestTurn(LONGEST_TURN, () => inStretches(draft({ id: 'a', title })))
      expect(turn).toBeLessThan(LONGEST_TURN)
    }
  })
})
