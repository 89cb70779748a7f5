import * as fc from 'fast-check'
import type { GeoArea } from '../../src/geo/area.ts'
import {
  any,
  boosted,
  every,
  everything,
  type Leaf,
  not,
  nothing,
  type Query,
} from '../../src/query/query.ts'

/** Few and alike, so that documents and queries meet. */
export const words = fc.constantFrom(
  'lamp',
  'lamps',
  'lmap',
  'red',
  'reed',
  'de',
  'ab12',
  '5',
  'true',
  'sofa',
)

const texts = fc.oneof(
  fc.array(words, { minLength: 1, maxLength: 5 }).map(list => list.join(' ')),
  fc.constantFrom('Red LAMP', 'red-lamp, de', 'a "b" \\c', '', '5', 'true'),
)
const numbers = fc.oneof(fc.integer({ min: -3, max: 7 }), fc.constantFrom(0.5, 2.5, 1e21, 1e-7))
const times = fc.constantFrom(
  '2024-02-29',
  '2024-02',
  '2023',
  '2024-01-01T12:00:00Z',
  '2024-03-01T00:00:00.001Z',
)

const some = <T>(one: fc.Arbitrary<T>) => fc.oneof(one, fc.array(one, { maxLength: 3 }))
const perhaps = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })

/** Points near each other and near where longitudes begin again; at times half of one, or none. */
const lats = fc.constantFrom(-90, -33, 0, 1, 2, 52, 90, 91)
const lons = fc.constantFrom(-181, -180, -179, -2, 0, 1, 2, 13, 178, 179, 180, 373)
const points = fc.record({ lat: perhaps(fc.oneof(lats, fc.constantFrom('2', 'x'))), lon: perhaps(lons) })
const otherPoints = fc.record({
  lat: perhaps(lats),
  lng: perhaps(fc.oneof(lons, fc.array(lons, { maxLength: 2 }))),
})

/** Documents of the shop, also with lists where a field has one value as a rule. */
export const documents = fc
  .record({
    title: perhaps(some(texts)),
    desc: perhaps(texts),
    brand: perhaps(fc.oneof(some(texts), fc.constant(null))),
    price: perhaps(fc.oneof(some(numbers), fc.constantFrom('2.5', '5'))),
    sold: perhaps(some(fc.boolean())),
    released: perhaps(some(times)),
    specs: perhaps(fc.record({ color: perhaps(texts), weight: perhaps(numbers) })),
    variants: perhaps(
      fc.array(fc.record({ name: perhaps(texts), price: perhaps(numbers) }), { maxLength: 2 }),
    ),
    location: perhaps(some(points)),
    shops: perhaps(fc.array(fc.record({ place: perhaps(otherPoints) }), { maxLength: 3 })),
  })
  .map(document => JSON.parse(JSON.stringify(document)) as Record<string, never>)

const textFields = fc.constantFrom('title', 'brand', 'specs.color', 'variants.name')
const fields = fc.option(textFields, { nil: null })
const bounds = <V>(value: fc.Arbitrary<V>) => {
  const bound = fc.record({ value, inclusive: fc.boolean() })
  return fc.oneof(
    fc.record({ from: bound, to: bound }),
    fc.record({ from: bound, to: fc.constant(null) }),
    fc.record({ from: fc.constant(null), to: bound }),
  )
}
const timeValues = fc.oneof(
  fc.constantFrom(...['2024-02-29', '2024-01-01T12:00:00Z', '2023-06-01'].map(Date.parse)),
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
)

/** No point lies on the edge of one. */
const areas: fc.Arbitrary<GeoArea> = fc.oneof(
  fc.record({
    shape: fc.constant('within' as const),
    lat: lats.filter(lat => lat <= 90),
    lon: lons,
    meters: fc.constantFrom(0.5, 150_003, 400_007, 9_000_011, 2.1e7),
  }),
  fc
    .tuple(fc.constantFrom(-90, -40.137, 0.137, 1.137), fc.constantFrom(1.291, 60.291, 90))
    .chain(([south, north]) =>
      fc.record({
        shape: fc.constant('box' as const),
        south: fc.constant(south),
        north: fc.constant(north),
        west: fc.constantFrom(-190.137, -180, -3.137, 0.137, 177.137),
        east: fc.constantFrom(-178.291, 1.291, 20.291, 180, 181.291),
      }),
    ),
  fc.record({
    shape: fc.constant('polygon' as const),
    rings: fc.array(
      fc.array(
        fc.record({
          lat: fc.constantFrom(-40.137, 0.137, 1.411, 60.291),
          lon: fc.constantFrom(-190.533, -178.137, -3.137, 0.291, 1.633, 20.291, 169.467, 179.411),
        }),
        { minLength: 3, maxLength: 5 },
      ),
      { minLength: 1, maxLength: 2 },
    ),
  }),
)

const leaves: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({ kind: fc.constant('word' as const), field: fields, word: words }),
  fc.record({
    kind: fc.constant('words' as const),
    field: fields,
    words: fc.array(words, { minLength: 2, maxLength: 4 }),
    slop: fc.nat(3),
  }),
  fc.record({
    kind: fc.constant('pattern' as const),
    field: fields,
    pattern: fc.constantFrom('l*', '*p', 'l?mp', '*a*', '??', 're*d', '?*5'),
  }),
  fc.record({
    kind: fc.constant('near' as const),
    field: fields,
    word: words,
    edits: fc.constantFrom(1 as const, 2 as const),
  }),
  fc.record({
    kind: fc.constant('value' as const),
    field: fc.constantFrom('title', 'brand', 'price', 'sold', 'variants.price'),
    value: fc.oneof(texts, numbers, fc.boolean()),
  }),
  fc.record({
    kind: fc.constant('contains' as const),
    field: fc.constantFrom('title', 'brand', 'specs.color', 'variants.name'),
    text: fc.constantFrom('amp', 'lamp', ' ', 'Red', '"b" \\c', '5', 'd'),
  }),
  fc.record({
    kind: fc.constant('exists' as const),
    field: fc.constantFrom('title', 'brand', 'price', 'specs', 'variants', 'specs.weight'),
  }),
  fc
    .tuple(fc.constantFrom('price', 'variants.price', 'specs.weight'), bounds(numbers))
    .map(([field, ends]) => ({ kind: 'range', over: 'numbers', field, ...ends }) as const),
  bounds(timeValues).map(ends => ({ kind: 'range', over: 'times', field: 'released', ...ends }) as const),
  fc
    .tuple(fc.constantFrom('brand', 'specs.color'), bounds(texts))
    .map(([field, ends]) => ({ kind: 'range', over: 'texts', field, ...ends }) as const),
  fc.record({
    kind: fc.constant('inside' as const),
    field: fc.constantFrom('location', 'shops.place'),
    area: areas,
  }),
  fc
    .tuple(fc.constantFrom(null, 'title', 'variants.name'), bounds(words))
    .map(([field, ends]) => ({ kind: 'range', over: 'words', field, ...ends }) as const),
)

/** Trees in normal form. */
export const queries: fc.Arbitrary<Query> = fc.letrec<{ query: Query }>(tie => ({
  query: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    leaves,
    fc.constantFrom<Query>(everything, nothing),
    fc.array(tie('query'), { minLength: 1, maxLength: 4 }).map(every),
    fc.array(tie('query'), { minLength: 1, maxLength: 4 }).map(any),
    tie('query').map(not),
    fc.tuple(tie('query'), fc.constantFrom(0, 0.5, 2, 1e-7, 1e21)).map(([of, by]) => boosted(of, by)),
  ),
})).query
