import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bodyBytes, bodyJson } from '../../../adapters/http/src/request/body.ts'
import { SizeLimit } from '../../../adapters/http/src/request/size.ts'

const megabyte = 2 ** 20
const limits = {
  maxRequestMb: 1,
  maxQueryMb: 1,
  maxValues: 1000,
  maxRequestMemoryPercent: 30,
  refreshMs: 5000,
}

describe('the limit of a request', () => {
  test.each([
    ['what is configured', 1000, megabyte],
    ['the share of the free memory', 2, 629_145],
    ['nothing when no memory is free', 0, 0],
  ])('is %s', (_, freeMb, expected) => {
    expect(new SizeLimit(limits, () => freeMb * megabyte).bytes).toBe(expected)
  })

  test('is looked up again after the interval, not before', () => {
    let [now, free] = [0, 0]
    const limit = new SizeLimit(
      limits,
      () => free,
      () => now,
    )
    expect(limit.bytes).toBe(0)
    free = 10 * megabyte
    now = 4999
    expect(limit.bytes).toBe(0)
    now = 5000
    expect(limit.bytes).toBe(megabyte)
  })
})

/** A body without end, and how much of it was asked for. */
function endless(pack: boolean): { request: Request; taken: () => number; isCancelled: () => boolean } {
  let [taken, isCancelled] = [0, false]
  function* blanks() {
    try {
      for (;;) {
        taken += 65_536
        yield Buffer.alloc(65_536, ' ')
      }
    } finally {
      isCancelled = true
    }
  }
  const source = Readable.from(blanks(), { objectMode: false, highWaterMark: 65_536 })
  // Not Readable.toWeb(), which in Node 20 may give a piece to whoever has just gone.
  const body = ReadableStream.from<Uint8Array>(pack ? source.pipe(createGzip()) : source)
  const headers: Record<string, string> = pack ? { 'Content-Encoding': 'gzip' } : {}
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
  return {
    request: new Request('http://localhost/', init),
    taken: () => taken,
    isCancelled: () => isCancelled,
  }
}

describe('a body without end', () => {
  test('is read up to the limit and then given back', async () => {
    const { request, taken, isCancelled } = endless(false)
    await expect(bodyJson(request, new SizeLimit(limits))).rejects.toMatchObject({ status: 413 })
    expect(taken()).toBeLessThan(2 * megabyte)
    expect(isCancelled()).toBe(true)
  })

  test('is unpacked up to the limit, in pieces', async () => {
    const { request } = endless(true)
    let largest = 0
    const reading = (async () => {
      for await (const { byteLength } of bodyBytes(request, new SizeLimit(limits)))
        largest = Math.max(largest, byteLength)
    })()
    await expect(reading).rejects.toMatchObject({ status: 413 })
    expect(largest).toBeLessThanOrEqual(65_536)
  })
})
