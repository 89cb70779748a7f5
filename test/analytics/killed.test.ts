import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { expect, it } from 'vitest'
import { expectHealthy, temporaryFolder } from '../engine/engines.ts'

const searcher = fileURLToPath(new URL('./searcher.mjs', import.meta.url))
const eraser = fileURLToPath(new URL('./eraser.mjs', import.meta.url))

interface Answered {
  text: string
  at: number
  queryId: string
  isClicked: boolean
}

/** Has a process ask until so much was answered, and kills it. */
async function askAndDie(
  store: string,
  life: number,
  answers: number,
): Promise<{ said: Answered[]; died: number }> {
  const child = spawn(process.execPath, [searcher, store, String(life)])
  const errors: string[] = []
  child.stderr.on('data', data => errors.push(String(data)))
  const exited = once(child, 'exit')
  const said: Answered[] = []
  let died = 0
  for await (const line of createInterface(child.stdout)) {
    said.push(JSON.parse(line))
    if (said.length !== answers) continue
    died = Date.now()
    child.kill('SIGKILL')
  }
  const [, signal] = await exited
  expect([signal, errors]).toEqual(['SIGKILL', []])
  return { said, died }
}

it('a process that is killed loses at most the last second, and nothing is counted twice', async () => {
  const store = await temporaryFolder()
  const all: Answered[] = []
  const lost: string[] = []
  for (const [life, answers] of [700, 150, 1, 400, 260].entries()) {
    const { said, died } = await askAndDie(store, life, answers)
    all.push(...said)
    await using engine = await Engine.open({ store, analytics: { mode: 'full' } })
    const counted = new Map<string, { calls: number; clicks: number }>()
    for await (const part of engine.analytics.export({ format: 'jsonl' })) {
      for (const line of part.trim().split('\n')) {
        const { text, type } = JSON.parse(line)
        const { calls, clicks } = counted.get(text) ?? { calls: 0, clicks: 0 }
        counted.set(text, type === 'search' ? { calls: calls + 1, clicks } : { calls, clicks: clicks + 1 })
      }
    }
    for (const { text, at } of said) if (at < died - 1000) expect(counted.get(text)?.calls).toBe(1)
    for (const { text } of said) if (!counted.has(text)) lost.push(text)
    for (const { calls, clicks } of counted.values()) expect([calls, clicks <= 1]).toEqual([1, true])
    for (const { text, at, isClicked } of said)
      if (at < died - 1000) expect(counted.get(text)?.clicks).toBe(isClicked ? 1 : 0)
    const { calls, clicks } = await engine.analytics.overview()
    const sum = (of: (one: { calls: number; clicks: number }) => number) =>
      [...counted.values()].reduce((total, one) => total + of(one), 0)
    expect([calls, clicks]).toEqual([sum(one => one.calls), sum(one => one.clicks)])
    // What was lost has no number any more that another answer could not have.
    const gone = said.find(({ text }) => !counted.has(text))
    if (gone) {
      const event = { type: 'view', queryId: gone.queryId, id: 'p1' } as const
      await expect(engine.analytics.event(event)).rejects.toMatchObject({ code: 'QUERY_ID_UNKNOWN' })
    }
    await expectHealthy(engine)
  }
  expect(all.length - lost.length).toBeGreaterThan(700)
})

/** Rows of the export, and what the figures say: calls, and by text how many. */
async function told(engine: Engine) {
  const rows: { type: string; text: string }[] = []
  for await (const part of engine.analytics.export({ format: 'jsonl' }))
    for (const line of part.trim().split('\n')) rows.push(JSON.parse(line))
  const byText = new Map<string, number>()
  for (const { text } of rows) byText.set(text, (byText.get(text) ?? 0) + 1)
  const listed = (await engine.analytics.queries({ limit: 1000 })).rows
  const { calls } = await engine.analytics.overview()
  return { calls, rows: rows.length, byText, listed: new Map(listed.map(one => [one.text, one.calls])) }
}

it('a process that is killed while it erases leaves no counts of calls that are gone', async () => {
  const store = await temporaryFolder()
  const users = 12
  let at = Date.UTC(2026, 5, 10)
  {
    await using engine = await Engine.open({ store, analytics: { mode: 'full' }, clock: () => at })
    const items = await engine.datasets.create('items', { interpretedFields: ['title'] })
    await items.documents.insert({ id: 'p1', title: 'Lamp' })
    // Of many hours, so that a block is counted in more roll-ups than are in memory.
    for (let i = 0; i < 3_000; i++) {
      at += 600_000
      const user = `u${i % users}`
      await items.search(`lamp ${i % 60} ${user}`, { context: { user } })
      if (i % 500 === 499) await engine.analytics.overview()
    }
  }
  for (const life of [1, 15, 40, 90]) {
    const child = spawn(process.execPath, [eraser, store, String(users - 2)])
    const exited = once(child, 'exit')
    const [opened] = await once(child.stdout, 'data')
    expect(String(opened)).toContain('open')
    await pause(life)
    child.kill('SIGKILL')
    await exited
    await using engine = await Engine.open({ store, analytics: { mode: 'full' }, clock: () => at })
    const { calls, rows, byText, listed } = await told(engine)
    expect(calls).toBe(rows)
    expect(listed).toEqual(byText)
  }
  await using engine = await Engine.open({ store, analytics: { mode: 'full' }, clock: () => at })
  for (let i = 0; i < users - 2; i++) await engine.analytics.erase({ user: `u${i}` })
  const { calls, rows, byText, listed } = await told(engine)
  expect([calls, rows]).toEqual([500, 500])
  expect(listed).toEqual(byText)
})
