import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileBytes } from '../../../adapters/http/src/wire/file-parser.ts'
import { leastLongestTurn } from '../../longest-turn.ts'

/** Contract, 5.1, said in one line each. */
function simply(content: string): Buffer | undefined {
  const signs = content.replace(/[ \r\n]+/g, '')
  const isBase64 = signs !== '' && signs.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,3}$/.test(signs)
  return isBase64 ? Buffer.from(signs, 'base64') : undefined
}

/** Texts are compared at once, bytes one by one. */
const told = (found: unknown) => (Buffer.isBuffer(found) ? found.toString('latin1') : found)

const read = (Content: string) => fileBytes({ Content }).catch(error => error.status)

describe('the content of a file', () => {
  it('is what base64 says, or refused, wherever it is cut into pieces', async () => {
    const signs = fc.array(fc.constantFrom('Q', 'SBo', 'b3N', 'l', '=', ' ', '\r\n', '*'), { maxLength: 12 })
    // What comes before fills the pieces to their last signs.
    const before = fc.constantFrom(0, 2 ** 18 - 4, 2 ** 18 - 1, 2 ** 18, 2 ** 19 + 2)
    await fc.assert(
      fc.asyncProperty(before, signs, async (count, rest) => {
        const content = 'A'.repeat(count) + rest.join('')
        expect(told(await read(content))).toEqual(told(simply(content) ?? 400))
      }),
      { numRuns: 300 },
    )
  })

  it('is decoded in short stretches, however long it is', async () => {
    const Content = Buffer.alloc(30_000_000, 'lamp').toString('base64')
    expect(await leastLongestTurn(50, () => fileBytes({ Content }))).toBeLessThan(50)
  })
})
