import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Api, routes, startApi } from './api.ts'
import { fullBodies, openFullShop } from './full-bodies.ts'

let engine: Engine
let api: Api
beforeAll(async () => {
  engine = await Engine.open({ analytics: { mode: 'full' } })
  api = await startApi({ engine })
  await openFullShop(api.engine)
})
afterAll(async () => {
  await api.stop()
  await engine.close()
})

type Path = readonly (string | number)[]

function* pathsIn(value: unknown, at: Path = []): Generator<[Path, unknown]> {
  if (at.length > 0) yield [at, value]
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value))
    yield* pathsIn(member, [...at, Array.isArray(value) ? Number(name) : name])
}

const textOf = (path: Path): string =>
  path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('')

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((one, i) => (i === key ? replaced(one, rest, by) : one))
  const members = Object.entries(value as object)
  return Object.fromEntries(
    members.map(([name, one]) => [name, name === key ? replaced(one, rest, by) : one]),
  )
}

/** What is wrong in the place of a value: mostly in ways that no model sees, only who knows the dataset. */
function wrongFor(value: unknown): unknown[] {
  if (Array.isArray(value)) return [{}, [], ['no such thing', 'nor this']]
  switch (typeof value) {
    case 'string':
      return ['', 'price:(\ud800'] // no query, no id, and no name of anything
    case 'number':
      return [-1.5, 1e9]
    case 'boolean':
      return ['many']
    default:
      return [{ title: 'x' }]
  }
}

/** Paths of all members of a model, places in lists left out; names below maps and documents are nobody's here. */
function membersOf(schema: z.ZodType): Set<string> {
  interface Shape {
    readonly $ref?: string
    readonly anyOf?: readonly Shape[]
    readonly properties?: Readonly<Record<string, Shape>>
    readonly items?: Shape
    readonly $defs?: Readonly<Record<string, Shape>>
  }
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape // as zod writes it
  const found = new Set<string>()
  const walk = (shape: Shape, at: string): void => {
    const named = shape.$ref && root.$defs![shape.$ref.split('/').at(-1)!]
    const same = [named, shape.items, ...(shape.anyOf ?? [])]
    for (const one of same) if (one) walk(one, at)
    for (const [name, member] of Object.entries(shape.properties ?? {})) {
      const path = at === '' ? name : `${at}.${name}`
      found.add(path)
      walk(member, path)
    }
  }
  walk(root, '')
  return found
}

/** Whether there is something at a path, as `Facets[0].Field`. */
function has(body: unknown, path: string): boolean {
  let inside = body
  for (const [, name = ''] of path.matchAll(/([^.[\]]+)/g)) {
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, name)) return false
    inside = Reflect.get(inside, name)
  }
  return true
}

async function idle(): Promise<void> {
  await expect.poll(() => api.engine.jobs({ status: ['running'] }), { interval: 2 }).toEqual([])
}

/** The field that an error begins with. */
const namedIn = (text: string): string => /^(.*?)(?: is | has |: there is)/s.exec(text)?.[1] ?? text

/** Bodies that are documents, the one that would shut out all others, and the one that needs a key for each try. */
const others = [
  ...['POST /api/Documents', 'PUT /api/Documents/{id}', 'POST /api/Maintenance/ChangeSecret'],
  'POST /api/Keys/{id}/Exchange',
]

test('an error of more weights than there may be says how many', async () => {
  const Weights = Array.from({ length: 101 }, () => ({ Query: 'a', Value: 1 }))
  const { status, body } = await api.send('POST', '/api/Services/Search/Search', {
    body: { Text: 'a', SearchSettings: { Weights } },
  })
  const error = 'SearchSettings.Weights is a list of 101; expected at most 100 entries'
  expect([status, body.Errors]).toEqual([400, [error]])
})

describe('an error names the field as the client has sent it', () => {
  test('in every body that there is: the bodies here have every member of every model', () => {
    const missing = routes.flatMap(({ method, path, body, form }) => {
      const endpoint = `${method} ${path}`
      if (!body || form || others.includes(endpoint)) return []
      const bodies = fullBodies.find(one => one.endpoint === endpoint)?.bodies ?? []
      const sent = new Set(
        bodies.flatMap(one => [...pathsIn(one)].map(([at]) => textOf(at).replace(/\[\d+\]/g, ''))),
      )
      return [...membersOf(body)].filter(member => !sent.has(member)).map(member => `${endpoint} ${member}`)
    })
    expect(missing).toEqual([])
  })

  test.each(fullBodies)(
    '$endpoint',
    { timeout: 60_000 },
    async ({ endpoint, path, bodies, dataset = 'shop' }) => {
      const method = endpoint.split(' ')[0]!
      const strange: unknown[] = []
      let refused = 0
      let to = await path(api.engine)
      const send = async (body: unknown) => {
        const reply = await api.send(method, to, { dataset, body })
        if (reply.status === 200 || reply.status >= 400) return reply
        await idle()
        to = await path(api.engine)
        return reply
      }
      for (const body of bodies) {
        if (endpoint !== 'POST /api/License') expect((await send(body)).body?.Errors).toBeUndefined()
        for (const [at, right] of pathsIn(body)) {
          for (const wrong of wrongFor(right)) {
            const sent = replaced(body, at, wrong)
            const { status, body: answer } = await send(sent)
            if (status !== 400) continue
            refused++
            for (const text of answer.Errors as string[]) {
              const field = namedIn(text)
              const parent = field.slice(0, field.lastIndexOf('.'))
              const isNamed =
                has(sent, field) ||
                (text.startsWith(`${field} is missing`) && (has(body, field) || has(sent, parent))) ||
                (field === 'the body' && text.includes(String(at[0])))
              const accepted = text.split('; expected ').at(-1)!
              if (!isNamed || /\b[a-z]+[A-Z]/.test(accepted)) strange.push([textOf(at), wrong, text])
            }
          }
        }
      }
      expect(strange).toEqual([])
      expect(refused).toBeGreaterThan(0)
    },
  )
})
