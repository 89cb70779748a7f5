import { describe, expect, it } from 'vitest'
import { importBody, type Rows } from '../../adapters/client/src/json-lines.ts'

/** What is sent of rows and chunks. */
async function sent(rows: Iterable<unknown>): Promise<string> {
  async function* later() {
    yield* rows
  }
  const { body } = await importBody(later() as Rows<object>, error => expect.unreachable(String(error)))
  return await new Response(body as ReadableStream).text()
}

describe('the chunks of a file', () => {
  it('are sent as the file, wherever they end', async () => {
    const file = 'x😀'.repeat(50_000)
    for (const length of [1, 5, 2 ** 16 - 1, 2 ** 16, file.length]) {
      const chunks = Array.from({ length: Math.ceil(file.length / length) }, (_, i) =>
        file.slice(i * length, (i + 1) * length),
      )
      expect((await sent(chunks)) === file, `chunks of ${length}`).toBe(true)
    }
  })

  it('stay in their order among documents', async () => {
    const bytes = new TextEncoder().encode('{"id":"3"}\n')
    const rows = [{ id: '1' }, '{"id":"2"}\n', bytes, { id: '4' }, '{"id":"5"}', '\n{"id":"6"}\n']
    expect(await sent(rows)).toBe([1, 2, 3, 4, 5, 6].map(id => `{"id":"${id}"}\n`).join(''))
  })
})
