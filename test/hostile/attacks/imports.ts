import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import type { Target } from '../target.ts'

const dataset = 'imports'

interface Process {
  readonly Id: string
  readonly Status: string
}

async function imported(target: Target, type: string, body: string): Promise<Process> {
  const sample = { id: '1', title: 'a', tag: ['a'] }
  const settings = { IdField: 'id', TagField: 'tag', InterpretedFields: ['title'], NGramCount: 1 }
  await target.send('POST', '/api/DataSets', { body: { Name: dataset, SampleDocument: sample, ...settings } })
  const headers = { 'Content-Type': type }
  const sent = await target.send('POST', '/api/Documents/Import', { dataset, body, headers })
  assert.equal(sent.status, 202, sent.text.slice(0, 300))
  let process = JSON.parse(sent.text) as Process // as the contract says
  for (let tries = 0; process.Status === 'InProgress' && tries < 500; tries++) {
    await pause(100)
    process = await target.json<Process>('GET', `/api/Processes/${process.Id}`)
  }
  assert.notEqual(process.Status, 'InProgress')
  return process
}

const attack = (name: string, type: string, bodyOf: () => string): Attack => ({
  name: `an import: ${name}`,
  async run(target) {
    await imported(target, type, bodyOf())
  },
})

export const importAttacks: readonly Attack[] = [
  attack('20 MB of blank lines', 'application/x-ndjson', () => '\n'.repeat(20_000_000)),
  attack(
    'a header of 1,000,000 columns',
    'text/csv',
    () => `id,${Array.from({ length: 1_000_000 }, (_, i) => `c${i}`).join()}\n1\n`,
  ),
  attack('a row of 20,000,000 cells', 'text/csv', () => `id,title\n1,a\n${','.repeat(20_000_000)}\n`),
  attack('a cell of 4,000,000 quotes', 'text/csv', () => `id,title\n1,${'"a""b",'.repeat(4_000_000)}\n`),
  attack('a quote that does not close', 'text/csv', () => `id,title\n1,"${'a'.repeat(40_000_000)}`),
  attack('a path 2,000,000 deep', 'text/csv', () => `id,${'a.'.repeat(2_000_000)}a\n1,b\n`),
  attack('800,000 rows without an id', 'application/x-ndjson', () => '{}\n'.repeat(800_000)),
]
