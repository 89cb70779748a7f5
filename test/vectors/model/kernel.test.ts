import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import wabt from 'wabt'
import { assembled } from '../../../src/vectors/model/kernel.ts'

describe('the kernel', () => {
  it('is the assembled kernel.wat', async () => {
    const { parseWat } = await wabt()
    const text = readFileSync(new URL('../../../src/vectors/model/kernel.wat', import.meta.url), 'utf8')
    const { buffer } = parseWat('kernel.wat', text, { simd: true }).toBinary({})
    expect(assembled).toBe(Buffer.from(buffer).toString('base64'))
  })
})
