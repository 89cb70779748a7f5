import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)

test('every test that SECURITY.md names exists', async () => {
  const text = await readFile(new URL('adapters/http/SECURITY.md', root), 'utf8')
  const missing: string[] = []
  let named = 0
  for (const [, path = '', titles = ''] of text.matchAll(/`(test\/[\w/.-]+)`((?:, "[^"]+")+)/g)) {
    const file = await readFile(new URL(path, root), 'utf8')
    for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g)) {
      named++
      if (!file.includes(`'${title}'`)) missing.push(`${path}: ${title}`)
    }
  }
  expect(missing).toEqual([])
  expect(named).toBeGreaterThan(40)
  expect(text.match(/`test\/[\w/.-]+`/g)?.length).toBe(text.match(/`test\/[\w/.-]+`, "/g)?.length)
})
