import fc from 'fast-check'
import { FindlingError } from 'findling'
import { bars, histogram, map, reliability, timeSeries } from 'findling/plot'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../any-character.ts'

interface Found {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
}

/** The elements of a plot, by a parser that knows nothing of plots and refuses what is no XML. */
function elementsOf(svg: string): Found[] {
  const elements: { name: string; attributes: Record<string, string>; text: string }[] = []
  const open: typeof elements = []
  const parser = new SaxesParser()
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, text: '' }
    elements.push(element)
    open.push(element)
  })
  parser.on('text', text => {
    const element = open.at(-1)
    if (element) element.text += text
  })
  parser.on('closetag', () => void open.pop())
  parser.write(svg).close()
  return elements
}

const named = (svg: string, name: string): Found[] => elementsOf(svg).filter(one => one.name === name)
const shapes = (svg: string, name: string): Found[] =>
  named(svg, name).filter(({ attributes }) => attributes.class !== 'ground')

const day = (number: number): number => Date.UTC(2026, 0, number)

/** Each plot with one text wherever it takes one, and a number wherever it takes one. */
const plots: Readonly<Record<string, (title: string, text: string, number: number) => string>> = {
  bars: (title, text, number) =>
    bars({ title, description: text, bars: [{ name: text, value: number, label: text }] }),
  histogram: (title, text, number) => histogram({ title, description: text, values: [number, 1, 2] }),
  timeSeries: (title, text, number) =>
    timeSeries({
      title,
      description: text,
      series: [
        {
          name: text,
          points: [
            { at: day(1), value: number },
            { at: day(2), value: 3 },
          ],
        },
        { name: text, points: [{ at: day(1), value: 1 }] },
      ],
    }),
  map: (title, text, number) =>
    map({
      title,
      description: text,
      points: [
        { x: number, y: 1, name: text, group: text },
        { x: 2, y: 3 },
      ],
      labels: [{ x: 1, y: number, text }],
    }),
  reliability: (title, text) =>
    reliability({ title, description: text, bins: [{ answers: 3, meanScore: 0.5, accuracy: 0.25 }] }),
}

describe.each(Object.entries(plots))('%s', (_, plot) => {
  it('is an image with a name and a description, without scripts, links and styles from elsewhere', () => {
    const svg = plot('The title', 'What it shows', 5)
    const elements = elementsOf(svg)
    expect(elements[0]).toMatchObject({ name: 'svg', attributes: { role: 'img' } })
    expect(elements[1]).toMatchObject({ name: 'title', text: 'The title' })
    expect(elements[2]).toMatchObject({ name: 'desc', text: 'What it shows' })
    const known = ['svg', 'title', 'desc', 'style', 'rect', 'text', 'line', 'path', 'circle']
    expect(elements.filter(({ name }) => !known.includes(name))).toEqual([])
    expect(svg).not.toMatch(/href|url\(|@import|\son\w+=/)
    expect(svg).toContain('@media (prefers-color-scheme:dark)')
  })

  it('shows hostile texts as they are', () => {
    const parts = [`</title></style><script>alert(1)</script> " ' & ]]> `, '\u0000', 'a', '\u0008', '\ud800']
    const hostile = parts.join('')
    const svg = plot(hostile, hostile, 5)
    const shown = `${parts[0]}\ufffda\ufffd\ufffd`
    const elements = elementsOf(svg)
    expect(elements.some(({ name }) => name === 'script')).toBe(false)
    expect(elements[1]!.text).toBe(shown)
    expect(elements[2]!.text).toBe(shown)
  })

  it('is well-formed whatever the texts and numbers are', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.constantFrom('', '__proto__', '𝒳'.repeat(150)),
    )
    const number = fc.oneof(
      fc.double({ noNaN: true, min: -1e300, max: 1e300 }),
      fc.constantFrom(0, -0, 5e-324, 1e300, -1e300),
    )
    fc.assert(
      fc.property(text, text, number, (title, other, value) => {
        const svg = plot(title, other, value)
        for (const { attributes } of elementsOf(svg))
          for (const [name, given] of Object.entries(attributes))
            if (/^(?:x|y|x1|x2|y1|y2|cx|cy|r|width|height|d)$/.test(name))
              expect(given).not.toMatch(/NaN|Infinity|undefined/)
      }),
      { numRuns: 200 },
    )
  })

  it('refuses what it does not know, and numbers that are none', () => {
    expect(() => plot('t', 'x'.repeat(3_000), 5)).toThrow(FindlingError)
    expect(() => plot('x'.repeat(301), 't', 5)).toThrow(/title/)
    if (plot !== plots.reliability)
      for (const number of [Number.NaN, Number.POSITIVE_INFINITY])
        expect(() => plot('t', 't', number)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })
})

describe('plots', () => {
  it('say that there are no data where there are none', () => {
    const empty = [
      bars({ title: 't', bars: [] }),
      histogram({ title: 't', values: [] }),
      timeSeries({ title: 't', series: [] }),
      timeSeries({ title: 't', series: [{ name: 'a', points: [] }] }),
      map({ title: 't', points: [] }),
      reliability({ title: 't', bins: [] }),
      reliability({ title: 't', bins: [{ answers: 0, meanScore: 0, accuracy: 0 }] }),
    ]
    for (const svg of empty) {
      expect(named(svg, 'text').map(({ text }) => text)).toContain('No data')
      expect([...shapes(svg, 'rect'), ...named(svg, 'circle'), ...named(svg, 'path')]).toEqual([])
    }
  })

  it('are of the size that was asked for', () => {
    const [svg] = named(histogram({ title: 't', values: [1], width: 500, height: 200 }), 'svg')
    expect(svg!.attributes).toMatchObject({ width: '500', height: '200', viewBox: '0 0 500 200' })
    expect(() => histogram({ title: 't', values: [1], width: 1e9 })).toThrow(/width is 1000000000/)
  })

  it('have bars as long as their values', () => {
    const svg = bars({
      title: 't',
      bars: [
        { name: 'a', value: 10 },
        { name: 'b', value: 5 },
        { name: 'c', value: 0 },
        { name: 'd', value: -5 },
      ],
    })
    const [a, b, c, d] = shapes(svg, 'rect').map(({ attributes }) => Number(attributes.width))
    expect(a! / b!).toBeCloseTo(2, 1)
    expect(c).toBe(0)
    expect(d).toBeCloseTo(b!, 0)
  })

  it('have bars with their whole names where there is room', () => {
    for (const word of ['stock', 'Garden', 'colours', 'material', 'm'.repeat(30)])
      expect(bars({ title: 't', bars: [{ name: word, value: 1 }] })).toContain(`>${word}</text>`)
  })

  it('have room for the names of bars in wide scripts, or their beginning', () => {
    for (const name of [
      '東京タワー',
      '한국어 사전',
      '東京タワー観光バス旅行大人',
      '東京'.repeat(50),
      '😀'.repeat(40),
    ]) {
      const [label] = named(bars({ title: '', bars: [{ name, value: 1 }] }), 'text')
      const shown = Array.from(label!.text.replace('…', ''))
      // A character is as wide as the font is high.
      expect(12 * shown.length).toBeLessThan(Number(label!.attributes.x))
      expect(name.startsWith(shown.join(''))).toBe(true)
      expect(label!.text.endsWith('…')).toBe(name.length > 20)
    }
  })

  it('have bars of histograms that count every number once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, min: -1_000, max: 1_000 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (values, bins) => {
          const rects = named(histogram({ title: 't', values, bins }), 'title').slice(1)
          const counts = rects.map(({ text }) => Number(/: (\d+)$/.exec(text)![1]))
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length)
        },
      ),
    )
  })

  it('draw lines through points in the order of time, and a single point as a dot', () => {
    const points = [3, 1, 2].map(number => ({ at: day(number), value: number }))
    const svg = timeSeries({ title: 't', series: [{ name: 'a', points }] })
    const [path] = named(svg, 'path')
    const xs = [...path!.attributes.d!.matchAll(/[ML](-?[\d.]+),/g)].map(([, x]) => Number(x))
    expect(xs).toHaveLength(3)
    expect(xs).toEqual(xs.toSorted((a, b) => a - b))
    const one = timeSeries({ title: 't', series: [{ name: 'a', points: [{ at: day(1), value: 0 }] }] })
    expect(named(one, 'circle')).toHaveLength(1)
  })

  it('show seconds where all points are within some, and the day where there is one, however far', () => {
    const within = [0, 500, 1_000].map(later => ({ at: day(1) + later, value: 1 }))
    const [path] = named(timeSeries({ title: 't', series: [{ name: 'a', points: within }] }), 'path')
    const xs = [...path!.attributes.d!.matchAll(/[ML](-?[\d.]+),/g)].map(([, x]) => Number(x))
    expect([xs[0], xs[1], xs[2]]).toEqual([56, 338, 620])
    for (const at of [-8e15, 8e15]) {
      const svg = timeSeries({ title: 't', series: [{ name: 'a', points: [{ at, value: 1 }] }] })
      expect(svg).not.toContain('NaN')
    }
  })

  it('tell numbers in few characters, but those of an axis and its bars apart', () => {
    const given = [0, -0.5, 1234, 9999, 12_500, 999_999, 3.2e6, -5e6, 9_999_999, 1e9, 4.5e12, 2e15, 1e-7]
    const told = named(bars({ title: '', bars: given.map(value => ({ name: 'n', value })) }), 'text')
      .map(({ text }) => text)
      .filter(text => text !== 'n')
    expect(told).toEqual('0 -0.5 1,234 9,999 12.5k 1M 3.2M -5M 10M 1G 4.5T 2e+15 1e-7'.split(' '))
    for (const [from, step] of [
      [0, 1],
      [123_400, 1],
      [-2e9, 10],
      [1.7e12, 500],
      [0.1, 1e-7],
    ] as const) {
      const values = Array.from({ length: 50 }, (_, i) => from + i * step)
      const svg = histogram({ title: '', values, bins: 10 })
      const ticks = named(svg, 'text').flatMap(({ text, attributes }) =>
        attributes['text-anchor'] === 'middle' ? [text] : [],
      )
      expect(ticks.length).toBeGreaterThan(3)
      expect(new Set(ticks).size).toBe(ticks.length)
      const hints = named(svg, 'title').slice(1)
      const ends = hints.map(({ text }) => text.split(':')[0]!.split(' to ')[1])
      expect(new Set(ends).size).toBe(hints.length)
    }
  })

  it('say how large numbers may be, and how far moments', () => {
    expect(() => histogram({ title: 't', values: [1e301] })).toThrow(/expected a number from -1e300 to 1e300/)
    const points = [8.64e15 - 10_000_000, 8.64e15].map(at => ({ at, value: 1 }))
    const far = () => timeSeries({ title: 't', series: [{ name: 'a', points }] })
    expect(far).toThrow(/expected milliseconds since 1970, from -8e15 to 8e15/)
  })

  it('have points of a map as far apart as they are, in every direction, and within the picture', () => {
    const place = fc.record({ x: fc.integer({ min: -50, max: 50 }), y: fc.integer({ min: -3, max: 3 }) })
    fc.assert(
      fc.property(
        fc.array(place, { minLength: 3, maxLength: 20 }),
        fc.constantFrom(1e-9, 1, 1e12),
        (points, size) => {
          const placed = points.map(({ x, y }) => ({ x: x * size, y: y * size }))
          const drawn = named(map({ title: 't', points: placed }), 'circle').map(({ attributes }) => ({
            x: Number(attributes.cx),
            y: Number(attributes.cy),
          }))
          const far = (some: readonly { x: number; y: number }[]) =>
            some.flatMap(a => some.map(b => Math.hypot(a.x - b.x, a.y - b.y)))
          const [given, shown] = [far(points), far(drawn)]
          const most = Math.max(...given)
          if (most === 0) return
          const scale = Math.max(...shown) / most
          for (const [i, distance] of given.entries()) expect(shown[i]).toBeCloseTo(distance * scale, 0)
          for (const { x, y } of drawn) expect([x >= 0 && x <= 640, y >= 0 && y <= 480]).toEqual([true, true])
        },
      ),
    )
  })

  it('colour the eight largest groups of a map, and leave out labels that would lie on others', () => {
    const points = Array.from({ length: 12 }, (_, group) =>
      Array.from({ length: 20 - group }, (_, i) => ({ x: i, y: group, group: `g${group}` })),
    ).flat()
    const labels = [
      { x: 5, y: 5, text: 'first' },
      { x: 5, y: 5, text: 'hidden' },
      { x: 0, y: 0, text: 'far' },
    ]
    const svg = map({ title: 't', points, labels })
    const texts = named(svg, 'text').map(({ text }) => text)
    expect(texts).toEqual(expect.arrayContaining(['first', 'far', 'g0', 'g7']))
    for (const gone of ['hidden', 'g8']) expect(texts).not.toContain(gone)
    const rest = named(svg, 'circle').filter(({ attributes }) => attributes.class === 'rest')
    expect(rest).toHaveLength(points.filter(({ group }) => Number(group.slice(1)) > 7).length)
  })
})
