import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { emptyFolder } from '../clients/several.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const calls = `
const base = 'http://127.0.0.1:' + listening.address().port + '/search'
const headers = { Authorization: 'Findling s3cr3t', 'Content-Type': 'application/json', 'X-DataSet': 'shop' }
const call = (method, path, body) => fetch(base + path, { method, headers, body: JSON.stringify(body) })
const sample = { id: 'a/b', title: 'A title', tag: ['x'] }
const settings = { Name: 'shop', IdField: 'id', TagField: 'tag', InterpretedFields: ['title'], NGramCount: 1 }
const statuses = [
  await call('POST', '/api/DataSets', { ...settings, SampleDocument: sample }),
  await call('POST', '/api/Documents', sample),
  await call('GET', '/api/Documents/a%2Fb'),
  await call('GET', '/docs/'),
  await fetch(base + '/api/DataSets'),
  await fetch(base + '/../elsewhere'),
].map(({ status }) => status)
await close()
console.log(statuses.join())
`

test('another server mounts the API as the README says, and closes it', async () => {
  const readme = await readFile(`${root}/adapters/http/README.md`, 'utf8')
  const [, snippet = ''] = /## In a server of your own.*?^```js\n(.*?)^```$/ms.exec(readme) ?? []
  const program = snippet.replace('./data', await emptyFolder()).replace('3000', '0') + calls
  const { stdout } = await promisify(execFile)('node', ['--input-type=module', '-e', program], { cwd: root })
  expect(stdout).toBe('201,201,200,200,401,404\n')
})
