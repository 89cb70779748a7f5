import { type DatasetProfile, FindlingError } from 'findling'
import { type ReportAnalytics, type ReportInput, reportHtml, reportText } from 'findling/plot'
import { Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { openEngine } from '../engine/engines.ts'

interface Read {
  /** Numbers with the place where they stand in the input. */
  readonly figures: { path: string; value: string; told: string }[]
  readonly ids: string[]
  readonly links: string[]
  readonly names: Set<string>
  readonly attributes: Set<string>
  readonly text: string
}

function read(html: string): Read {
  const figures: Read['figures'] = []
  const [ids, links]: [string[], string[]] = [[], []]
  const names = new Set<string>()
  const all = new Set<string>()
  let text = ''
  let isFigure = false
  const parser = new Parser({
    onopentag(name, attributes) {
      names.add(name)
      for (const attribute of Object.keys(attributes)) all.add(attribute)
      if (attributes.id) ids.push(attributes.id)
      if (attributes.href) links.push(attributes.href)
      isFigure = name === 'data'
      if (isFigure) figures.push({ path: attributes['data-figure']!, value: attributes.value!, told: '' })
    },
    ontext(part) {
      text += part
      if (isFigure) figures.at(-1)!.told += part
    },
    onclosetag() {
      isFigure = false
    },
  })
  parser.end(html)
  return { figures, ids, links, names, attributes: all, text }
}

const at = (input: ReportInput, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], input)

const hostile = `</title><script>alert(1)</script><img src=x onerror="y">'&\u0000\u001b[31m\ud800`

const asked = (calls: number) => ({
  calls,
  withoutHits: 4,
  corrected: 3,
  relaxed: 2,
  clicked: 5,
  clicks: 6,
  conversions: 1,
})

const analytics: ReportAnalytics = {
  overview: { ...asked(31), users: { count: 7, exact: true } },
  series: [1, 2, 3].map(day => ({ at: Date.UTC(2026, 0, day), calls: 10 + day, withoutHits: day })),
  top: { rows: [{ text: 'lamp', withFew: 1, ...asked(20) }], exact: true },
  withoutHits: { rows: [{ text: hostile, withFew: 0, ...asked(8) }], exact: true },
  neverClicked: { rows: [{ text: 'hose', withFew: 2, ...asked(9) }], exact: true },
  suggestions: {
    synonyms: [{ typed: 'torch', meant: 'lantern', times: 12 }],
    missing: [{ text: 'ladder', withoutHits: 13, calls: 14 }],
    stopWords: [{ word: 'buy', dropped: 15 }],
    pins: [{ text: 'lamp', id: 'd1', clicks: 16, meanPlace: 5.25 }],
  },
}

async function exampleInput(): Promise<ReportInput & { profile: DatasetProfile }> {
  const engine = await openEngine()
  const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
  await shop.tags.replaceAll([
    { id: 'tools', name: 'Tools' },
    { id: 'drills', name: hostile.replaceAll('\ud800', ''), parentId: 'tools' },
    { id: 'empty', name: 'Nothing' },
  ])
  const brands = ['Bosch', 'BOSCH', 'bosch ', 'Makita']
  await shop.documents.bulk(
    Array.from({ length: 80 }, (_, i) => ({
      id: `d${i}`,
      title: i === 3 ? 'Cordless drill no 2' : i === 4 ? hostile : `Cordless drill no ${i}`,
      tag: i < 60 ? ['drills'] : i < 70 ? ['tools'] : i < 75 ? ['gone'] : [],
      brand: brands[i % 4]!,
      ean: i === 7 ? '4006381333930' : '4006381333931',
      released: `2024-0${1 + (i % 3)}-15`,
      price: i === 13 ? 19_990.5 : 60 + i / 4,
      ...(i % 9 === 0 ? {} : { color: i % 2 ? 'red' : 'blue' }),
    })),
  )
  const profile = await shop.profile({ crossTables: [['brand', 'color']] })
  return { profile, analytics, map: await shop.map() }
}

describe('a report', () => {
  it('has the numbers of what it was made of, and every link leads to rows', async () => {
    const input = await exampleInput()
    const html = reportHtml(input)
    const { figures, ids, links, text } = read(html)
    expect(figures.length).toBeGreaterThan(100)
    for (const { path, value, told } of figures) {
      const expected = at(input, path)
      expect(typeof expected, path).toBe('number')
      expect(Number(value), path).toBe(expected)
      const shown = Number(told.replace('about ', '').replaceAll(',', ''))
      expect(Math.abs(shown - Number(value)), path).toBeLessThanOrEqual(Math.abs(Number(value)) * 1e-5)
    }
    const paths = figures.map(({ path }) => path)
    for (const path of [
      'profile.documents',
      'profile.tags.untagged',
      'profile.duplicates.groups',
      'profile.fields.0.distinct.count',
      'profile.crossTables.0.pairs.0.count',
      'profile.tags.unknown.0.count',
      'map.documents',
      'analytics.overview.calls',
      'analytics.withoutHits.rows.0.withoutHits',
      'analytics.suggestions.synonyms.0.times',
      'analytics.suggestions.pins.0.meanPlace',
    ])
      expect(paths).toContain(path)
    expect(new Set(ids).size).toBe(ids.length)
    expect(links.length).toBeGreaterThan(15)
    for (const link of links) expect(ids).toContain(link.slice(1))
    for (const { reason } of input.profile.mistakes)
      expect(text).toContain(reason.replaceAll(/\p{Cc}/gu, '\ufffd'))
    for (const [kind, caption] of [
      ['unusual-number', 'Numbers that are unusual for their tag'],
      ['duplicate', 'The same words under the same tags'],
    ]) {
      const count = input.profile.mistakes.filter(one => one.kind === kind).length
      expect(count).toBeGreaterThan(0)
      expect(text).toContain(`${caption}: ${count}.`)
    }
    for (const heading of [
      'What is in the data',
      'What is wrong with it',
      'What people ask',
      'What they do not find',
      'What to do next',
    ])
      expect(text).toContain(heading)
  }, 60_000)

  it('loads nothing, runs nothing and shows hostile texts as they are', async () => {
    const input = await exampleInput()
    const html = reportHtml({ ...input, title: hostile.slice(0, 60) })
    const { names, attributes, text } = read(html)
    for (const name of ['script', 'img', 'link', 'iframe', 'object', 'form', 'input', 'image', 'use'])
      expect(names).not.toContain(name)
    expect(text).toContain('<script>alert(1)</script>')
    const loading = [...attributes].filter(name => /^(?:src|srcset|xlink:href|action|on\w+)$/.test(name))
    expect(loading).toEqual([])
    expect(html).not.toMatch(/url\(|@import|https?:\/\/(?!www\.w3\.org\/2000\/svg)/)
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(html).not.toMatch(/(?!\n)\p{Cc}|\p{Surrogate}/u)
    expect(reportText(input)).not.toMatch(/(?!\n)\p{Cc}|\p{Surrogate}/u)
  }, 60_000)

  it('says the same as text, and leaves out what people ask where that is not known', async () => {
    const { profile, ...rest } = await exampleInput()
    const text = reportText({ profile, ...rest })
    const { figures, text: shown } = read(reportHtml({ profile, ...rest }))
    for (const { path, told } of figures.filter(({ path }) => path.split('.').length < 4))
      expect(text, path).toContain(told)
    for (const line of text.split('\n').filter(line => line.startsWith('- ')))
      expect(shown).toContain(line.slice(2).replaceAll(/\p{Cc}/gu, '\ufffd'))
    const alone = reportText({ profile })
    expect(alone).not.toContain('What people ask')
    expect(alone).toContain('What to do next')
    expect(read(reportHtml({ profile })).names).toContain('svg')
  }, 60_000)

  it('has columns in a terminal also where texts are in wide scripts', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk([
      { id: '1', title: 'Tower', 価格: 5, मूल्य: 3 },
      { id: '2', title: '東京タワー', 価格: 7, मूल्य: 4 },
    ])
    const text = reportText({ profile: await shop.profile() })
    const [, table = ''] = text.split('\nFields\n')
    const rows = table.split('\n\n')[0]!.split('\n').slice(1)
    expect(rows).toHaveLength(4)
    for (const row of rows) {
      // In a terminal, each of these is two columns wide, and marks take none.
      const columns = row.replace(/\p{M}/gu, '').replace(/[\p{sc=Han}\p{sc=Kana}ー]/gu, 'xx')
      expect([row, columns.indexOf('2') + 1]).toEqual([
        row,
        table.split('\n')[0]!.indexOf('present') + 'present'.length,
      ])
    }
  }, 60_000)

  it('draws lines down to zero where there were no dates or calls', async () => {
    const { profile } = await exampleInput()
    const fields = profile.fields.map(field =>
      field.field === 'released'
        ? { ...field, texts: { ...field.texts!, months: { '2023-11': 2, '2023-12': 2, '2024-03': 2 } } }
        : field,
    )
    const pointsOf = (title: string, input: Partial<ReportInput>) => {
      const html = reportHtml({ profile: { ...profile, fields }, ...input })
      const [, svg = ''] = html.split(`<title>${title}</title>`)
      const [, path = ''] = / d="([^"]*)"/.exec(svg) ?? []
      return path
        .split(/[ML]/)
        .slice(1)
        .map(point => point.split(',').map(Number) as [number, number])
    }
    const dates = pointsOf('Dates of released by month', {})
    expect(dates.map(([, y]) => y === dates[0]![1])).toEqual([true, true, false, false, true])
    const calls = (...hours: number[]) =>
      pointsOf('Calls over time', {
        analytics: {
          ...analytics,
          series: hours.map(hour => ({ at: Date.UTC(2026, 2, 28, hour), calls: 3, withoutHits: 1 })),
        },
      }).map(([, y], _, [first]) => (y === first![1] ? 3 : 0))
    expect(calls(0, 24, 47, 72 - 1)).toEqual([3, 3, 3, 3])
    expect(calls(0, 24, 72)).toEqual([3, 3, 0, 3])
    expect(calls(0, 24, 120)).toEqual([3, 3, 0, 0, 3])
    expect(calls(0, 1, 3, 9)).toEqual([3, 3, 0, 3, 0, 0, 3])
    expect(calls(5)).toEqual([])
    // As many as it takes, each of them alone.
    expect(calls(...Array.from({ length: 20_000 }, (_, i) => 4 * i))).toHaveLength(59_998)
  }, 60_000)

  it('of nothing says so', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    const profile = await shop.profile()
    const text = reportText({ profile, map: await shop.map() })
    expect(text).toContain('0 documents')
    expect(text).toContain('Nothing was found.')
    expect(text).toContain('Nothing needs to be done.')
    expect(reportHtml({ profile })).toContain('0</data> documents')
  })

  it('refuses what is no profile, with the name of the member', async () => {
    const { profile } = await exampleInput()
    const refused = (input: unknown, message: RegExp) => {
      expect(() => reportHtml(input as never)).toThrow(FindlingError)
      expect(() => reportText(input as never)).toThrow(message)
    }
    refused(undefined, /input/)
    refused({}, /profile/)
    refused({ profile, extra: 1 }, /extra/)
    refused({ profile: { ...profile, documents: Number.NaN } }, /documents/)
    refused({ profile: { ...profile, fields: 'all' } }, /fields/)
    refused({ profile, analytics: { overview: { calls: -1 } } }, /calls/)
    refused({ profile, map: { of: 'fields' } }, /map/)
  }, 60_000)
})
