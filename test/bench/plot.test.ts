import { describe, expect, it } from 'vitest'
import { type Plot, svg } from '../../bench/plot.ts'

const bars: Plot = {
  title: 'Speed & size',
  description: 'Longer is <better>.',
  axis: 'queries per second',
  scale: 'log',
  groups: [
    {
      name: 'term',
      marks: [10, 100, 1_000].map(bar => ({
        name: `peer ${bar}`,
        ours: bar === 1_000,
        bar,
        label: `${bar}/s`,
      })),
    },
  ],
}

const values = (picture: string, element: string, attribute: string): number[] =>
  [
    ...picture.matchAll(new RegExp(`<${element} class="(?:ours|theirs)"[^>]* ${attribute}="([^"]+)"`, 'g')),
  ].map(([, value]) => Number(value))

/** Every element is closed in the order in which it was opened. */
function assertWellFormed(picture: string): void {
  const open: string[] = []
  for (const [, closing, name, empty] of picture.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (closing) expect(open.pop()).toBe(name)
    else if (!empty) open.push(name!)
  }
  expect(open).toEqual([])
}

describe('svg', () => {
  it('is well formed and says to everybody what it shows', () => {
    const picture = svg(bars)
    assertWellFormed(picture)
    expect(picture).toContain('role="img" aria-labelledby="title desc"')
    expect(picture).toContain('<title id="title">Speed &amp; size</title>')
    expect(picture).toContain('<desc id="desc">Longer is &lt;better&gt;.</desc>')
    for (const label of ['term', 'peer 10', '10/s', 'peer 1000', '1000/s', 'queries per second']) {
      expect(picture).toContain(`>${label}</text>`)
    }
  })

  it('has colours for light and for dark surroundings, on a ground of its own', () => {
    expect(svg(bars)).toContain('@media (prefers-color-scheme: dark)')
    expect(svg(bars)).toContain('<rect class="ground"')
  })

  it('draws ten times as much the same length longer on a logarithmic scale', () => {
    const [one, two, three] = values(svg(bars), 'rect', 'width')
    expect(two! - one!).toBeGreaterThan(50)
    expect(three! - two!).toBeCloseTo(two! - one!, 0)
  })

  it('draws twice as much twice as long on a linear scale', () => {
    const marks = [0.2, 0.4].map(bar => ({ name: 'peer', ours: false, bar, label: `${bar}` }))
    const [one, two] = values(
      svg({ ...bars, scale: 'linear', groups: [{ name: 'all', marks }] }),
      'rect',
      'width',
    )
    expect(two!).toBeCloseTo(2 * one!, 0)
  })

  it('draws points from left to right and the interval around a bar', () => {
    const mark = { name: 'peer', ours: false, points: [1, 4, 9], label: '1 / 4 / 9' }
    const circles = values(svg({ ...bars, groups: [{ name: 'all', marks: [mark] }] }), 'circle', 'cx')
    expect(circles).toHaveLength(3)
    expect(circles).toEqual([...circles].sort((a, b) => a - b))
    const bar = { name: 'peer', ours: false, bar: 0.5, interval: [0.4, 0.6] as const, label: '.5' }
    const picture = svg({ ...bars, scale: 'linear', groups: [{ name: 'all', marks: [bar] }] })
    const [, from, to] = /<path class="interval" d="M([\d.]+) [\d.]+H([\d.]+)M/.exec(picture)!
    const end = 170 + values(picture, 'rect', 'width')[0]!
    expect(Number(from)).toBeLessThan(end)
    expect(Number(to)).toBeGreaterThan(end)
  })

  it('keeps inside its width whatever the values are', () => {
    const spread = [1e-6, 3, 7.5e8].map(bar => ({ name: 'peer', ours: false, bar, label: `${bar}` }))
    const widths = values(svg({ ...bars, groups: [{ name: 'all', marks: spread }] }), 'rect', 'width')
    for (const width of widths) {
      expect(width).toBeGreaterThanOrEqual(1)
      expect(width).toBeLessThanOrEqual(760)
    }
  })
})
