import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { add, emptyFolder, operatorsSecret, secretOf, several } from '../clients/several.ts'

const read = (path: string) => readFile(new URL(`../../../adapters/http/${path}`, import.meta.url), 'utf8')

const Source = z.strictObject({ type: z.literal('prometheus'), uid: z.string().regex(/^\$\{datasource\}$/) })
const Panel = z.object({
  id: z.int().min(1),
  type: z.enum(['timeseries', 'bargauge']),
  title: z.string().min(1),
  datasource: Source,
  gridPos: z.strictObject({
    x: z.int().min(0),
    y: z.int().min(0),
    w: z.int().min(1).max(24),
    h: z.int().min(1),
  }),
  fieldConfig: z.object({ defaults: z.object({ unit: z.string() }), overrides: z.array(z.unknown()) }),
  options: z.object({}),
  targets: z
    .array(
      z.strictObject({
        refId: z.string().regex(/^[A-Z]$/),
        datasource: Source,
        expr: z.string().min(1),
        legendFormat: z.string().min(1),
      }),
    )
    .min(1),
})
const Variable = z.object({
  name: z.string(),
  type: z.enum(['datasource', 'query']),
  definition: z.string().optional(),
})
const Dashboard = z.object({
  title: z.string().min(1),
  uid: z.string().regex(/^[\w-]{1,40}$/),
  schemaVersion: z.int().min(36),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  templating: z.strictObject({ list: z.array(Variable) }),
  panels: z.array(Panel).min(1),
})

const dashboard = Dashboard.parse(JSON.parse(await read('deploy/grafana.json')))
const targets = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(target => ({ title, ...target })),
)

/** Labels by name of sample, as `/metrics` answers. */
const answered = new Map<string, Set<string>>()

/** What a query asks for: names, each with the labels that it is held to. */
function askedBy(expr: string): { name: string; labels: string[] }[] {
  // Prometheus itself names the server.
  const held = (text = '') => [...text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!)
  return [...expr.matchAll(/\b((?:findling|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name, labels]) => ({
      name: name!,
      labels: held(labels).filter(label => label !== 'instance'),
    }),
  )
}

const listsIn = (pattern: RegExp, text: string) =>
  [...text.matchAll(pattern)].flatMap(([, list]) => list!.split(',').map(label => label.trim()))

beforeAll(async () => {
  const folder = await emptyFolder(() => {})
  await add(folder, 'shop')
  const all = await several(folder, { backupFolder: join(folder, 'backups') })
  try {
    const operator = { key: operatorsSecret }
    const { engine } = all.served.clients.get('shop')!
    const send = (path: string, body: unknown = {}) =>
      all.send('POST', `/shop${path}`, { key: secretOf('shop'), dataset: 'products', body })
    const settle = async (process: string) => {
      const isOver = () => engine.job(process)?.endedAt != null
      await vi.waitUntil(isOver, { timeout: 60_000 })
    }
    const SampleDocument = { id: '1', title: 'A lamp', tag: ['a'] }
    const settings = { IdField: 'id', TagField: 'tag', InterpretedFields: ['title'], NGramCount: 1 }
    await send('/api/DataSets', { Name: 'products', SampleDocument, ...settings })
    await send('/api/Documents', SampleDocument)
    await send('/api/Documents/Search', { Text: 'lamp' })
    const service = await send('/api/Services', { Name: 'Search', Type: 'Search' })
    for (const [step, body] of [
      ['Prepare', { DataSetName: 'products' }],
      ['Activate', {}],
    ] as const)
      await settle((await send(`/api/Services/Search/${service.body.Id}/${step}`, body)).body.Id)
    await settle((await send('/api/Maintenance/Backup')).body.Id)
    // Something is under way.
    const job = engine.startJob({ kind: 'test:job', description: 'Test' }, async function* ({ signal }) {
      while (!signal.aborted) yield { done: 0, total: 1, phase: 'waiting' }
    })
    const { text } = await all.send('GET', '/metrics', operator)
    job.cancel()
    await job.ended
    for (const line of text.split('\n')) {
      const [, name, labels = ''] = /^([a-z_]+)(?:\{(.*)\})? /.exec(line) ?? []
      if (name === undefined) continue
      const known = answered.get(name) ?? new Set()
      for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!)
      answered.set(name, known)
    }
  } finally {
    await all.stop()
  }
})

describe('the dashboard', () => {
  test('asks for names and labels that /metrics answers, and groups and names by those', () => {
    for (const { title, expr, legendFormat } of targets) {
      const asked = askedBy(expr)
      expect([title, asked.length]).not.toEqual([title, 0])
      const labels = new Set(['instance'])
      for (const { name, labels: held } of asked) {
        expect([title, name, answered.has(name)]).toEqual([title, name, true])
        for (const label of answered.get(name)!) labels.add(label)
        expect([title, name, held.filter(label => !answered.get(name)!.has(label))]).toEqual([
          title,
          name,
          [],
        ])
      }
      const grouped = listsIn(/\bby \(([^)]*)\)/g, expr)
      expect([title, grouped.filter(label => !labels.has(label))]).toEqual([title, []])
      const shown = listsIn(/\{\{(\w+)\}\}/g, legendFormat)
      // What is summed has no labels but those by which it is.
      const left = grouped.length > 0 ? new Set(grouped) : labels
      expect([title, shown.filter(label => !left.has(label))]).toEqual([title, []])
    }
  })

  test('shows all that there is to watch', () => {
    const asked = new Set(targets.flatMap(({ expr }) => askedBy(expr).map(({ name }) => name)))
    const unseen = [...answered.keys()].filter(name => !asked.has(name))
    expect(unseen.sort()).toEqual([
      'findling_http_request_duration_seconds_count',
      'findling_http_request_duration_seconds_sum',
      'findling_info',
      'process_start_time_seconds',
    ])
  })

  test('has places, ids and variables of its own for everything', () => {
    const { panels, templating } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24)
      return Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`)
    })
    expect(new Set(cells).size).toBe(cells.length)
    for (const { targets } of panels)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
    const known = new Set(templating.list.map(({ name }) => name))
    expect(known).toEqual(new Set(['datasource', 'instance', 'client']))
    const used = targets.flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)].map(([, name]) => name!))
    for (const name of used) expect(known.has(name) || name.startsWith('__')).toBe(true)
    for (const { name, definition } of templating.list.filter(({ type }) => type === 'query')) {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '') ?? []
      expect([name, label, answered.get(metric)?.has(label) || label === 'instance']).toEqual([
        name,
        name,
        true,
      ])
    }
  })

  test('has queries that Prometheus could read: their brackets close', () => {
    for (const { expr } of targets) {
      const open: string[] = []
      for (const sign of expr.replace(/"[^"]*"/g, '')) {
        if ('([{'.includes(sign)) open.push(sign)
        else if (')]}'.includes(sign))
          expect([expr, `${open.pop()}${sign}`]).toEqual([expr, expect.stringMatching(/^(\(\)|\[\]|\{\})$/)])
      }
      expect([expr, open]).toEqual([expr, []])
    }
  })
})

test('the rules of the README ask for what there is', async () => {
  const [, rules = ''] = /^groups:\n([\s\S]*?)```/m.exec(await read('README.md')) ?? []
  const asked = [...rules.matchAll(/^ +expr: (.*)$/gm)].flatMap(([, expr]) => askedBy(expr!))
  expect(asked.map(({ name }) => name)).toContain('findling_backup_age_seconds')
  expect(asked.filter(({ name }) => !answered.has(name))).toEqual([])
})
