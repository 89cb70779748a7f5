import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../adapters/client/src/client.ts'
import type { Configuration } from '../../adapters/client/src/configuration.ts'
import { secret } from '../http/routes/api.ts'
import { type Outcome, promisedOutput, runPrograms } from '../written-programs.ts'
import { type Server, startServer } from './server.ts'

const path = new URL('../../adapters/client/README.md', import.meta.url)
const readme = await readFile(fileURLToPath(path), 'utf8')
const snippets = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!)

let engine: Engine
let server: Server
let complaints = ''
let outcome: Outcome

beforeAll(async () => {
  engine = await Engine.open({ analytics: { mode: 'full' } })
  server = await startServer({ engine })
  const code = snippets
    .join('')
    .replaceAll('http://127.0.0.1:8080', server.url)
    .replaceAll("'s3cr3t'", JSON.stringify(secret))
  const ran = await runPrograms([{ name: 'the README', code, language: 'ts' }])
  complaints = ran.complaints
  outcome = ran.outcomes[0]!
})

afterAll(async () => {
  await server.stop()
  await engine.close()
})

describe('the README of the client', () => {
  it('begins with a snippet of at most 12 lines that needs nothing else', () => {
    expect(snippets[0]!.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
  })

  it('has snippets that compile, one after the other, and print what their comments say', () => {
    expect(complaints).toBe('')
    expect(outcome).toEqual({ printed: promisedOutput(snippets.join('')), complained: '' })
  })

  it('lists every call that there is, and no other', () => {
    const client = createClient({ baseAddress: 'http://localhost', secret })
    const dataset = client.dataset('shop')
    const owners: [name: string, object][] = [
      ['client.dataSets', client.dataSets],
      ['client.dataset<T>(name)', dataset],
      ['….documents', dataset.documents],
      ['….tags', dataset.tags],
      ['client.services', client.services],
      ['client.processes', client.processes],
      ['client.files', client.files],
      ['client.keys', client.keys],
      ['client.analytics', client.analytics],
      ['client.statistics', client.statistics],
      ['client.installation', client.installation],
    ]
    for (const [name, owner] of owners) {
      const line = readme.split('\n').find(text => text.startsWith(`| \`${name}\``))!
      const listed = Array.from(line.slice(name.length + 5).matchAll(/`(\w+)`/g), ([, call]) => call)
      expect([name, listed.sort()]).toEqual([name, callsOf(owner).sort()])
    }
  })

  it('tells every setting with its default', () => {
    const settings = [...readme.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| /gm)].flatMap(([, names]) =>
      Array.from(names!.matchAll(/\w+/g), ([name]) => name),
    )
    let message = ''
    try {
      createClient({ baseAddress: 'http://localhost', none: 1 } as Configuration)
    } catch (error) {
      message = String(error)
    }
    const known = /expected one of (.*)\.$/.exec(message)![1]!.split(', ')
    expect(settings).toEqual(expect.arrayContaining(known))
  })
})

/** The methods of an object, those of its parents included. */
function callsOf(owner: object): string[] {
  const names = new Set<string>()
  for (
    let proto = Object.getPrototypeOf(owner);
    proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto)
  )
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(proto)))
      if (typeof value === 'function' && name !== 'constructor') names.add(name)
  return [...names]
}
