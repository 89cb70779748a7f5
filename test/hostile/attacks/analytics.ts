import assert from 'node:assert/strict'
import { type Attack, sample } from '../attack.ts'
import type { Reply, Target } from '../target.ts'

interface Counted {
  readonly Counted: number
  readonly Known: number
  readonly Refused: readonly unknown[]
}

const told = ({ status, text }: Reply): string => `${status} ${text.slice(0, 300)}`

/** The id of an answer, and that of a document in it. */
async function answered(target: Target): Promise<{ QueryId: string; Id: string }> {
  const { QueryId, Hits } = await target.json<{ QueryId: string; Hits: { Id: string }[] }>(
    'POST',
    '/api/Documents/Search',
    { dataset: sample, body: { Text: 'drill' } },
  )
  return { QueryId, Id: Hits[0]!.Id }
}

const events = (target: Target, body: unknown, key?: string): Promise<Reply> =>
  target.send('POST', '/api/Events', { body, ...(key !== undefined && { key }) })

const reports = ['Overview', 'Queries', 'Series', 'Hits', 'Filters', 'Suggestions', 'Export']

export const analyticsAttacks: readonly Attack[] = [
  {
    name: 'events that are forged or make no sense',
    async run(target) {
      const { QueryId, Id } = await answered(target)
      const event = { Type: 'Click', QueryId, Id }
      const forged = [
        { ...event, QueryId: 'x' },
        { ...event, QueryId: '1.0.0' },
        { ...event, QueryId: `${QueryId}0` },
        { ...event, QueryId: `${QueryId.slice(0, -1)}${QueryId.endsWith('a') ? 'b' : 'a'}` },
        { ...event, QueryId: '__proto__' },
        { ...event, Id: '\ud800' },
        { ...event, Id: '__proto__' },
        { ...event, Position: 1_000 },
      ]
      const list = await events(target, { Events: forged })
      assert.equal(list.status, 200, told(list))
      const { Counted, Known, Refused } = JSON.parse(list.text) as Counted
      assert.deepEqual([Counted, Known, Refused.length], [0, 0, forged.length], told(list))
      const text = JSON.stringify({ Events: [event] })
      const bodies = [
        text.replace('"Type"', '"__proto__":{"Type":"Click"},"Type"'),
        text.replace('"Click"', '"__proto__"'),
        text.replace('"Id"', '"Value":NaN,"Id"'),
        text.replace('"Id"', '"Value":1e400,"Id"'),
        text.replace('"Id"', '"Position":-1,"Id"'),
        text.replace('"Id"', '"Position":1e300,"Id"'),
        text.replace('"Id"', `"User":"${'u'.repeat(201)}","Id"`),
        '[]',
        'null',
        '{"Events":{}}',
        JSON.stringify({ Events: Array.from({ length: 1_001 }, () => event) }),
      ]
      for (const body of bodies) {
        const reply = await events(target, body)
        assert.equal(reply.status, 400, `${body.slice(0, 100)}: ${told(reply)}`)
      }
      const counted = JSON.parse((await events(target, { Events: [event] })).text) as Counted
      assert.equal(counted.Counted, 1, 'what was refused is not known')
    },
  },
  {
    name: 'events of 10 MB, and lists of a million of them',
    async run(target) {
      const { QueryId, Id } = await answered(target)
      const long = 'x'.repeat(10_000_000)
      for (const body of [
        { Events: [{ Type: 'Click', QueryId, Id: long }] },
        { Events: [{ Type: 'Click', QueryId: long, Id }] },
        { Events: [{ Type: 'Click', QueryId, Id, User: long }] },
        { Events: Array.from({ length: 1_000_000 }, () => 0) },
      ]) {
        const reply = await events(target, body)
        assert.ok([400, 413].includes(reply.status), told(reply))
        assert.ok(reply.text.length < 10_000, `an answer of ${reply.text.length} characters`)
      }
    },
  },
  {
    name: 'the same event 1,000 times in each of 40 requests at once',
    async run(target) {
      const { QueryId, Id } = await answered(target)
      const body = { Events: Array.from({ length: 1_000 }, () => ({ Type: 'View', QueryId, Id })) }
      const replies = await Promise.all(Array.from({ length: 40 }, () => events(target, body)))
      let counted = 0
      for (const reply of replies) {
        assert.ok([200, 429, 503].includes(reply.status), told(reply))
        if (reply.status === 200) counted += (JSON.parse(reply.text) as Counted).Counted
      }
      assert.equal(counted, 1)
    },
  },
  {
    name: 'reports of impossible times, and all reports at once',
    async run(target) {
      for (const report of reports)
        for (const query of [
          'from=NaN',
          'from=9999999999999999',
          'to=yesterday',
          'from=2026-13-45',
          'from=2026-01-02&to=2026-01-01',
          `tag=${'t'.repeat(5_000)}`,
          'per=Century',
          'limit=1000000000',
          '__proto__=1',
        ]) {
          const reply = await target.send('GET', `/api/Analytics/${report}?${query}`)
          const isFine = reply.status === 400 || (reply.status === 200 && reply.text.length < 10_000)
          assert.ok(isFine, `${report}?${query.slice(0, 40)}: ${told(reply)}`)
        }
      const all = Array.from({ length: 20 }, () =>
        reports.map(one => target.send('GET', `/api/Analytics/${one}`)),
      )
      for (const reply of await Promise.all(all.flat()))
        assert.ok([200, 429, 503].includes(reply.status), told(reply))
    },
  },
  {
    name: 'a profile that many begin and read at once',
    async run(target) {
      const path = `/api/DataSets/${sample}/Profile`
      const begun = await Promise.all(
        Array.from({ length: 10 }, () => target.send('POST', path, { body: { Judged: 0 } })),
      )
      for (const reply of begun) assert.ok([202, 409, 429, 503].includes(reply.status), told(reply))
      const read = await Promise.all(Array.from({ length: 200 }, () => target.send('GET', path)))
      for (const reply of read) assert.ok([200, 404, 429, 503].includes(reply.status), told(reply))
      const tables = Array.from({ length: 11 }, () => ['title', 'tag'])
      for (const body of [
        { CrossTables: tables },
        { CrossTables: [['title', 'x'.repeat(100_000)]] },
        { Judged: 1e9 },
        '{"__proto__":{"Judged":1}}',
      ]) {
        const reply = await target.send('POST', path, { body })
        assert.equal(reply.status, 400, told(reply))
      }
    },
  },
  {
    name: 'keys that may not know what others ask and what is in the data',
    async run(target) {
      const search = await target.key({ Scopes: ['Search'], DataSets: [sample] })
      const analyst = await target.key({ Scopes: ['Analytics'], DataSets: ['another'] })
      for (const key of [search, analyst]) {
        for (const report of reports) {
          const reply = await target.send('GET', `/api/Analytics/${report}?dataset=${sample}`, { key })
          assert.equal(reply.status, 403, `${report}: ${told(reply)}`)
        }
        const erased = await target.send('POST', '/api/Analytics/Erase', { key, body: { User: 'u' } })
        assert.equal(erased.status, 403, told(erased))
        for (const method of ['GET', 'POST']) {
          const reply = await target.send(method, `/api/DataSets/${sample}/Profile`, { key })
          assert.equal(reply.status, 403, told(reply))
        }
      }
      const { QueryId, Id } = await answered(target)
      const event = { Events: [{ Type: 'Click', QueryId, Id }] }
      const told403 = await events(target, event, await target.key({ Scopes: ['Read'] }))
      assert.equal(told403.status, 403, told(told403))
    },
  },
]
