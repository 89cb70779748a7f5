import { describe, expect, it } from 'vitest'
import {
  highlightDocument,
  highlightOption,
  highlightScope,
} from '../../src/highlighting/document-highlights.ts'
import { parseInput } from '../../src/input.ts'
import { toJsonObject } from '../../src/json.ts'
import { finderOf } from './found.ts'

const fields = ['title', 'maker.name', 'colours', '__proto__', 'price']
const lampIn = (document: object, names: string[] = fields, snippet = 200) =>
  highlightDocument(toJsonObject(document), finderOf('lamp 7 true'), { fields: names, snippet })

describe('highlightDocument', () => {
  it('gives the texts in which something was found, by field', () => {
    const found = lampIn({ title: 'Desk lamp', maker: { name: 'Lamp & Sons' }, colours: 'black', price: 7 })
    expect(Object.keys(found)).toEqual(['title', 'maker.name', 'price'])
    expect(found.title).toEqual([
      { text: 'Desk lamp', start: 0, ranges: [{ start: 5, end: 9 }], before: false, after: false },
    ])
    expect(found.price).toMatchObject([{ text: '7', ranges: [{ start: 0, end: 1 }] }])
  })

  it('tells which texts of a list they are', () => {
    const { colours } = lampIn({ colours: ['lamp black', 'red', null, true, 'lamp'] })
    expect(colours?.map(({ item, text }) => [item, text])).toEqual([
      [0, 'lamp black'],
      [2, 'true'],
      [3, 'lamp'],
    ])
  })

  it('cuts long texts to their best passage', () => {
    const title = `${'and so on '.repeat(50)}lamp`
    const [cut] = lampIn({ title }, fields, 30).title!
    expect(cut).toMatchObject({ text: 'so on and so on and so on lamp', before: true, after: false })
    expect(title.slice(cut!.start)).toBe(cut!.text)
  })

  it('leaves out fields that are not there or hold no text', () => {
    expect(Object.keys(lampIn({ title: null, maker: 'lamp', colours: { name: 'lamp' } }))).toEqual([])
  })

  it('takes any name for a field', () => {
    const found = lampIn(JSON.parse('{ "__proto__": "lamp", "constructor": "lamp" }'), [
      ...fields,
      'constructor',
    ])
    expect(Object.keys(found)).toEqual(['__proto__', 'constructor'])
    expect(JSON.parse(JSON.stringify(found))).toHaveProperty('constructor')
    expect(Object.keys(lampIn({}, ['constructor', 'toString']))).toEqual([])
  })
})

describe('the highlight option', () => {
  const scopeOf = (option: unknown) => highlightScope(parseInput(highlightOption, option, 'options'), fields)

  it('is off, or on for all interpreted fields', () => {
    expect(scopeOf(false)).toBeUndefined()
    expect(scopeOf(true)).toEqual({ fields, snippet: 200 })
    expect(scopeOf({})).toEqual({ fields, snippet: 200 })
  })

  it('chooses fields and the length of passages', () => {
    expect(scopeOf({ fields: ['price'], snippet: 20 })).toEqual({ fields: ['price'], snippet: 20 })
    expect(scopeOf({ fields: [] })).toEqual({ fields: [], snippet: 200 })
  })

  it.each([
    [{ fields: ['title', 'stock'] }, 'highlight.fields[1]', '"stock"'],
    [{ snippet: 19 }, 'snippet', '19'],
    [{ snippet: 100_001 }, 'snippet', '100001'],
    [{ snippet: 30.5 }, 'snippet', '30.5'],
    [{ field: 'title' }, 'field', '"title"'],
    ['title', '', '"title"'],
  ])('refuses %j', (option, field, received) => {
    expect(() => scopeOf(option)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ field, received }),
      }),
    )
  })
})
