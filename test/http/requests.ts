import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import * as z from 'zod'
import type { Route } from '../../adapters/http/src/route.ts'
import { anyValue, brokenJson, hostileObject, hostileText } from './hostile.ts'

/** A request to be sent as it is. */
export interface MadeRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
  /** The line of the table it was made from, `POST /api/Tags`. */
  readonly endpoint: string
}

/** What makes requests succeed now and then. */
export interface Known {
  readonly secret: string
  readonly datasets: readonly string[]
  /** Values for members of bodies and queries by their name. */
  readonly values: ReadonlyMap<string, readonly unknown[]>
  /** Values for members of paths: `id`, or beside one word alone or two, `Services/{id}`, `{name}/Classifier`. */
  readonly members: ReadonlyMap<string, readonly string[]>
  readonly documents: fc.Arbitrary<unknown>
}

/**
 * Requests made from the table of routes: half as its models ask, half with something wrong in some of their parts.
 * The same seed makes the same requests.
 */
export function* requests(routes: readonly Route[], known: Known, seed: number): Generator<MadeRequest> {
  const makers = [wild, calm].map(mix => new Maker(known, mix))
  const anyRequest = fc.oneof(
    ...makers.flatMap(maker => routes.map(route => maker.requests(route))),
    pageRequests(known),
  )
  for (let group = 0; ; group++) yield* fc.sample(anyRequest, { seed: seed + group, numRuns: 250 })
}

/** Puts something odd in the place of the usual, once in so many times. */
type Mix = <T, U>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<U>, times?: number) => fc.Arbitrary<T | U>

const wild: Mix = (usual, odd, times = 15) =>
  fc.oneof({ weight: times, arbitrary: usual }, { weight: 1, arbitrary: odd })

const calm: Mix = usual => usual

/** Stands for what is left out. */
const absent = Symbol('absent')

/** JSON schema as zod writes it: only what the models here are made of. */
interface Shape {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly $defs?: Readonly<Record<string, Shape>>
}

/** Makes values of one model. */
class Model {
  readonly #root: Shape
  readonly #known: Known
  readonly #mix: Mix

  constructor(schema: z.ZodType, known: Known, mix: Mix) {
    this.#root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape // see there
    this.#known = known
    this.#mix = mix
  }

  values(): fc.Arbitrary<unknown> {
    return this.#mix(this.#valuesOf(this.#root, ''), anyValue)
  }

  /** Name and values of each member. */
  members(): [string, fc.Arbitrary<unknown>][] {
    return Object.entries(this.#root.properties ?? {}).map(([name, shape]) => [
      name,
      this.#valuesOf(shape, name),
    ])
  }

  #valuesOf(shape: Shape, name: string): fc.Arbitrary<unknown> {
    const given = this.#known.values.get(name)
    if (given && shape.type !== 'array') return fc.constantFrom(...given)
    if (shape.$ref) return this.#valuesOf(this.#root.$defs![shape.$ref.split('/').at(-1)!]!, name)
    if (shape.anyOf) return fc.oneof(...shape.anyOf.map(choice => this.#valuesOf(choice, name)))
    if (shape.enum) return fc.oneof(fc.constantFrom(...shape.enum), fc.nat(shape.enum.length - 1))
    return this.#valuesOfType(shape, name)
  }

  #valuesOfType(shape: Shape, name: string): fc.Arbitrary<unknown> {
    switch (shape.type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.constantFrom(true, false, 'True', 'false')
      case 'integer':
      case 'number':
        return numbers(shape)
      case 'array':
        return fc.array(this.#mix(this.#valuesOf(shape.items ?? {}, name), anyValue, 40), { maxLength: 5 })
      default:
        return this.#objectsOf(shape, name)
    }
  }

  #objectsOf(shape: Shape, name: string): fc.Arbitrary<unknown> {
    const { properties, additionalProperties } = shape
    if (properties) return this.#objects(properties, new Set(shape.required))
    if (typeof additionalProperties !== 'object') return this.#known.documents
    const names = fc.constantFrom(...this.#known.values.get('Field')!.map(String))
    const members = this.#mix(this.#valuesOf(additionalProperties, name), anyValue, 40)
    return fc.dictionary(this.#mix(names, hostileText, 12), members, { maxKeys: 3 })
  }

  #objects(
    properties: Readonly<Record<string, Shape>>,
    required: ReadonlySet<string>,
  ): fc.Arbitrary<unknown> {
    const optional = Object.keys(properties).length - required.size
    // About three of many: a request with a dozen made members would never be right.
    const left = { weight: Math.max(3, optional - 3), arbitrary: fc.constant(absent) }
    const members = Object.entries(properties).map(([name, shape]) => {
      const given = this.#valuesOf(shape, name)
      const values = required.has(name) ? given : fc.oneof({ weight: 3, arbitrary: given }, left)
      // Any other secret would rightly shut out all later requests.
      const value = name === 'Secret' ? values : this.#mix(values, anyValue, 30)
      return fc.tuple(oddlyCased(name), this.#mix(value, fc.constant(absent), 12))
    })
    const whole = fc.tuple(...members).map(entries => entries.filter(([, value]) => value !== absent))
    const withMore = fc
      .tuple(whole, hostileObject)
      .map(([entries, more]) => [...Object.entries(more), ...entries])
    return this.#mix(whole, withMore).map(entries => Object.fromEntries(entries))
  }
}

function numbers({ exclusiveMinimum = -3, minimum = exclusiveMinimum + 1, maximum = 20 }: Shape) {
  const few = fc.integer({ min: minimum, max: Math.max(minimum, Math.min(maximum, minimum + 20)) })
  return fc.oneof(few, few.map(String), fc.constantFrom(minimum, maximum))
}

function oddlyCased(name: string): fc.Arbitrary<string> {
  return wild(fc.constant(name), fc.constantFrom(name.toLowerCase(), name.toUpperCase()), 6)
}

/** Percent-encoded; of a lone surrogate the replacement character is left. */
function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

/** What has no text of its own, as an object without a prototype, stands there as JSON. */
function inQuery(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

interface SentBody {
  readonly headers: Readonly<Record<string, string>>
  readonly body: MadeRequest['body']
}

const nothing: SentBody = { headers: {}, body: undefined }

/** Makes requests of lines of the table. */
class Maker {
  readonly #known: Known
  readonly #mix: Mix

  constructor(known: Known, mix: Mix) {
    this.#known = known
    this.#mix = mix
  }

  requests(route: Route): fc.Arbitrary<MadeRequest> {
    const otherMethod = fc.constantFrom('GET', 'PUT', 'HEAD', 'OPTIONS', 'PATCH')
    const parts = fc.record({
      method: this.#mix(fc.constant(route.method), otherMethod, 40),
      path: this.#paths(route),
      query: this.#queries(route),
      headers: this.#headers(),
      sent: this.#bodies(route),
    })
    return parts.map(({ method, path, query, headers, sent }) => {
      const { body, ...about } = method === 'GET' || method === 'HEAD' ? nothing : sent
      return {
        endpoint: `${route.method} ${route.path}`,
        method,
        path: path + query,
        headers: { ...about.headers, ...headers },
        body,
      }
    })
  }

  #paths({ path }: Route): fc.Arbitrary<string> {
    const broken = fc.constantFrom('%', '%zz', '%ED%A0%80', '%C3%28', '%00', '%2F', '%2e%2e')
    const segments = path
      .split('/')
      .slice(1)
      .map((part, at, parts) => {
        if (!part.startsWith('{')) return oddlyCased(part)
        const { members } = this.#known
        const [before, after] = [parts[at - 1], parts[at + 1]]
        const values =
          members.get(`${before}/${part}/${after}`) ??
          members.get(`${before}/${part}`) ??
          members.get(`${part}/${after}`) ??
          members.get(part.slice(1, -1))!
        const usual = fc.constantFrom(...values)
        return this.#mix(usual.map(escaped), fc.oneof(hostileText.map(escaped), broken), 8)
      })
    const slash = wild(fc.constant('/'), fc.constant('//'), 20)
    const end = fc.constantFrom('', '', '', '/')
    return fc.tuple(slash, end, ...segments).map(([slash, end, ...names]) => `/${names.join(slash)}${end}`)
  }

  #queries({ query }: Route): fc.Arbitrary<string> {
    if (!query) return fc.constant('')
    const parameters = new Model(query, this.#known, this.#mix)
      .members()
      .map(([name, values]) =>
        fc
          .tuple(oddlyCased(name), this.#mix(values.map(inQuery), hostileText))
          .map(([name, value]) => `${name}=${escaped(value)}`),
      )
    const some = fc.subarray(parameters).chain(chosen => fc.tuple(...chosen))
    return some.map(chosen => (chosen.length === 0 ? '' : `?${chosen.join('&')}`))
  }

  #headers(): fc.Arbitrary<Record<string, string>> {
    const { secret, datasets } = this.#known
    const right = fc.constantFrom(`Findling ${secret}`, `bearer ${secret}`, `SERVICE  ${secret}`)
    const wrong = [
      '',
      'Findling',
      `Basic ${secret}`,
      'Findling wrong-secret',
      `Findling ${'x'.repeat(10_000)}`,
    ]
    const name = fc.constantFrom(...datasets)
    const rarely = (...values: string[]) => this.#mix(fc.constant(absent), fc.constantFrom(...values), 6)
    const all: Record<string, fc.Arbitrary<string | typeof absent>> = {
      Authorization: this.#mix(right, fc.constantFrom(...wrong), 50),
      'X-DataSet': this.#mix(name, fc.constantFrom('', 'none', '__proto__', 'a/b', '\u00ff')),
      'X-Api-Parallel-Limit': rarely('1', '0', '-1', '2.5', '99999999999', 'many', '\u00fc'),
      'X-Sdk-Version': rarely('1.5.0', '1.5.9', ' 1.5.1 ', '1.5', '2.0.0', '', 'x'.repeat(5_000)),
      'Accept-Encoding': rarely('gzip', 'br', 'gzip;q=0', '*', ''),
      Accept: rarely('text/html', '*/*', ''),
      Origin: rarely('https://example.org', 'null', ''),
      'Content-Length': this.#mix(
        fc.constant(absent),
        fc.constantFrom('-1', 'many', '1e3', '999999999999'),
        99,
      ),
      Range: rarely('bytes=0-1'),
    }
    return fc.record(all).map(headers => {
      const entries = Object.entries(headers)
      return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== absent))
    })
  }

  #bodies(route: Route): fc.Arbitrary<SentBody> {
    const text = route.stream ? this.#rows() : route.body ? this.#json(route.body) : undefined
    if (!text) return fc.constant(nothing)
    const types = route.stream ?? ['application/json', 'application/json; charset=utf-8', 'text/json']
    const wrong = [
      'text/xml',
      'application/json; charset=utf-16',
      'application/json; charset=none',
      '',
      'a/b;=',
    ]
    const type = this.#mix(fc.constantFrom(...types), fc.constantFrom(...wrong), 25)
    const codings = ['gzip', 'claimed', 'br', 'deflate', 'identity']
    const coding = this.#mix(fc.constant('none'), fc.constantFrom(...codings))
    return fc.tuple(text, type, coding).map(([text, type, coding]) => ({
      headers: {
        ...(type !== '' && { 'Content-Type': type }),
        ...(coding !== 'none' && { 'Content-Encoding': coding === 'claimed' ? 'gzip' : coding }),
      },
      body: coding === 'gzip' ? gzipSync(text) : text,
    }))
  }

  #json(schema: z.ZodType): fc.Arbitrary<string> {
    const json = new Model(schema, this.#known, this.#mix).values().map(value => JSON.stringify(value))
    const spaced = json.map(text => `\ufeff \n${text}\t`)
    const cut = fc.tuple(json, fc.nat(200)).map(([text, at]) => text.slice(0, at))
    return this.#mix(wild(json, spaced, 20), fc.oneof(cut, brokenJson), 12)
  }

  /** Lines of JSON or of a CSV, whichever is claimed. */
  #rows(): fc.Arbitrary<string> {
    const document = this.#known.documents.map(document => JSON.stringify(document))
    const csv = fc.constantFrom('id,title,price', '1,"a ""quoted"" title",2', '"open', 'a;b;c', ',,,')
    const line = fc.oneof({ weight: 5, arbitrary: document }, csv, brokenJson)
    return fc.array(line, { maxLength: 6 }).map(lines => lines.join('\n'))
  }
}

const pages = [
  '/',
  '/setup',
  '/setup/RequestOpenSourceLicense',
  '/health',
  '/ready',
  '/files/none.json',
  '/api',
]

/** Of what is no line of the table. */
function pageRequests({ secret }: Known): fc.Arbitrary<MadeRequest> {
  const form = fc.tuple(hostileText, hostileText).map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
  return fc
    .record({ method: fc.constantFrom('GET', 'POST'), path: fc.constantFrom(...pages), form })
    .map(({ method, path, form }) => ({
      endpoint: `any ${path}`,
      method,
      path,
      headers: {
        Authorization: `Findling ${secret}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: method === 'GET' ? undefined : form,
    }))
}
