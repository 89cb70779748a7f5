import { describe, expect, it } from 'vitest'
import { defineDataset } from '../../src/datasets/dataset-definition.ts'
import { compileRules, type DatasetRules } from '../../src/datasets/validation.ts'
import { type JsonObject, mergeDeep, toJsonObject } from '../../src/json.ts'

function rulesOf(definition: object): DatasetRules {
  const { settings, schema } = defineDataset(definition)
  return compileRules(settings, schema)
}

const refusal = (field: string) =>
  expect.objectContaining({ code: 'INVALID_DOCUMENT', details: expect.objectContaining({ field }) })

const accepts = (rules: DatasetRules, doc: unknown) => {
  const copy = toJsonObject(doc)
  rules.checkDocument(copy)
  rules.checkPatch(copy)
  rules.checkMerged(copy)
}
const refuses = (rules: DatasetRules, doc: unknown, field: string) => {
  expect(() => rules.checkDocument(toJsonObject(doc))).toThrow(refusal(field))
}

const sample = {
  id: '1',
  title: 'x',
  tag: 'a',
  price: 1,
  maker: { name: 'x', city: { code: 1 } },
  parts: [{ n: 1 }],
  free: null,
}
const good = { id: '7', title: 'red shoe', tag: 'shoes' }
const inText = (json: string): JsonObject => ({ ...good, ...(JSON.parse(json) as JsonObject) })

describe('strict rules of a sample dataset', () => {
  const rules = rulesOf({ sample, validation: 'strict', interpretedFields: ['title', 'maker.name'] })
  const full = { ...good, maker: { name: 'Acme' } }

  const accepted: [string, unknown][] = [
    ['the least it may have', full],
    ['everything the sample has', sample],
    ['an id as number', { ...full, id: 9 }],
    ['empty text', { ...full, title: '', maker: { name: '' } }],
    ['a whole number as text', { ...full, title: 1984 }],
    ['a value that does not fit its number field', { ...full, price: 'on request' }],
    ['a fraction where the sample has a whole number', { ...full, price: 1.5 }],
    ['anything where the sample has null', { ...full, free: { deep: [{ x: 1 }] } }],
    ['null in other fields', { ...full, price: null, parts: null }],
    ['several parts', { ...full, parts: [{ n: 1 }, { n: 2 }] }],
  ]
  it.each(accepted)('accept %s', (_, doc) => {
    accepts(rules, doc)
  })

  const refused: [string, unknown, string][] = [
    ['a name with a blank', { ...full, 'a b': 1 }, 'a b'],
    ['a name that is too long', { ...full, ['x'.repeat(51)]: 1 }, 'x'.repeat(51)],
    ['an empty name', { ...full, '': 1 }, ''],
    ['a name with a dot, deep inside', { ...full, parts: [{ 'n.n': 1 }] }, 'parts.n.n'],
    ['no id', { ...full, id: undefined }, 'id'],
    ['null as id', { ...full, id: null }, 'id'],
    ['a blank id', { ...full, id: '  ' }, 'id'],
    ['a list as id', { ...full, id: ['1'] }, 'id'],
    ['an object as id', { ...full, id: {} }, 'id'],
    ['an id that is too long', { ...full, id: 'x'.repeat(1025) }, 'id'],
    ['no tag', { ...full, tag: undefined }, 'tag'],
    ['no text', { ...full, title: undefined }, 'title'],
    ['null as text', { ...full, title: null }, 'title'],
    ['a fraction as text', { ...full, title: 1.5 }, 'title'],
    ['a list as text', { ...full, title: ['x'] }, 'title'],
    ['no text inside an object', { ...full, maker: {} }, 'maker.name'],
    ['text instead of the object', { ...full, maker: 'Acme' }, 'maker.name'],
    ['an unknown field', { ...full, colour: 'red' }, 'colour'],
    ['an unknown field inside an object', { ...full, maker: { name: 'x', site: 1 } }, 'maker.site'],
    ['an unknown field inside a list', { ...full, parts: [{ n: 1 }, { m: 1 }] }, 'parts.m'],
    ['an object where the sample has text', { ...full, price: { eur: 1 } }, 'price.eur'],
    ['__proto__ as a field', { ...inText('{"__proto__":{"x":1}}'), maker: { name: 'x' } }, '__proto__'],
    ['constructor as a field', { ...full, constructor: 1 }, 'constructor'],
  ]
  it.each(refused)('refuse %s and name the field', (_, doc, field) => {
    refuses(rules, doc, field)
  })

  it('report the first broken rule in the order of the contract', () => {
    const broken = { 'a b': 1, id: null, colour: 1 }
    refuses(rules, broken, 'a b')
    refuses(rules, { id: null, colour: 1 }, 'id')
    refuses(rules, { id: 1, colour: 1 }, 'tag')
    refuses(rules, { id: 1, tag: 1, colour: 1 }, 'title')
    refuses(rules, { ...full, colour: 1 }, 'colour')
  })

  it('list every unknown field, each once', () => {
    const doc = toJsonObject({ ...good, colour: 1, parts: [{ m: 1 }, { m: 2 }], maker: { name: 'x', a: 1 } })
    expect(() => rules.checkDocument(doc)).toThrow('unknown fields: colour, parts.m, maker.a;')
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`f${i}`, i]))
    expect(() => rules.checkDocument(toJsonObject({ ...full, ...many }))).toThrow('f99 and 30 more;')
  })
})

describe('tags', () => {
  const shapes = {
    simple: 'a',
    'simple integer': 1,
    array: ['a'],
    'array integer': [1],
  }
  type Shape = keyof typeof shapes

  it.each<[Shape, unknown, RegExp]>([
    [
      'simple',
      ' ',
      /^document: tag is " "; expected null, empty text, or text of .* not blank.*, or a whole number$/,
    ],
    ['array', 'a', /^document: tag is "a"; expected null, or a list of which each element is text/],
    ['array', ['a', null], /^document: tag\[1\] is null; expected text of .*, or a whole number$/],
    ['array integer', 1, /expected null, or a list of which each element is a whole number$/],
    ['array integer', [1, 2, '3'], /^document: tag\[2\] is "3"; expected a whole number$/],
  ])('%s: refuse %j and say what a tag may be', (shape, tag, message) => {
    const rules = rulesOf({ sample: { id: '1', title: 'x', tag: shapes[shape] }, validation: 'strict' })
    expect(() => rules.checkDocument(toJsonObject({ ...good, tag }))).toThrow(message)
  })

  const all: Shape[] = ['simple', 'simple integer', 'array', 'array integer']
  const tagOrEntry = expect.stringMatching(/^tag(\[\d\])?$/)
  const cases: [unknown, Shape[]][] = [
    [null, all],
    ['', ['simple', 'simple integer']],
    [[], ['array', 'array integer']],
    ['a', ['simple']],
    ['7', ['simple']],
    [7, ['simple', 'simple integer']],
    [1.5, []],
    [true, []],
    [{}, []],
    [['a'], ['array']],
    [['a', 7], ['array']],
    [[7], ['array', 'array integer']],
    [[7, 'a'], ['array']],
    [[7, '8'], ['array']],
    [[1.5], []],
    [[true], []],
    [[null], []],
    [[['a']], []],
    [[{}], []],
    ['\ud800', []],
    [['x'.repeat(1025)], []],
  ]
  it.each(cases)(
    'of strict datasets may be %.40j where the sample has the shape %j',
    (tag, shapesThatTake) => {
      for (const shape of all) {
        const rules = rulesOf({
          sample: { ...good, tag: shapes[shape] },
          validation: 'strict',
          interpretedFields: [],
        })
        const doc = { ...good, tag }
        if (shapesThatTake.includes(shape)) accepts(rules, doc)
        else refuses(rules, doc, tagOrEntry)
      }
    },
  )

  it('of strict datasets follow a schema as they follow a sample', () => {
    const field = (tag: unknown) => ({
      type: 'object',
      properties: { id: { type: 'string' }, title: { type: 'string' }, tag },
    })
    const integers = rulesOf({
      schema: field({ type: 'array', items: { type: 'long' } }),
      validation: 'strict',
      interpretedFields: [],
    })
    accepts(integers, { ...good, tag: [1, 2] })
    refuses(integers, { ...good, tag: [1, 'a'] }, 'tag[1]')
    accepts(rulesOf({ schema: field({ type: 'long' }), validation: 'strict' }), { ...good, tag: '' })
  })

  const loose: [unknown, string[]][] = [
    [undefined, []],
    [null, []],
    ['', []],
    [[], []],
    ['a', ['a']],
    [7, ['7']],
    [1.5, ['1.5']],
    [
      ['a', 7, 'a', ''],
      ['a', '7'],
    ],
    [
      ['__proto__', 'constructor'],
      ['__proto__', 'constructor'],
    ],
  ]
  it.each(loose)('of lenient datasets may be %j and are read as %j', (tag, ids) => {
    const rules = rulesOf({})
    accepts(rules, { ...good, tag })
    expect(rules.tagIds(toJsonObject({ ...good, tag }))).toEqual(ids)
  })

  it.each([true, {}, [true], [{}], [['a']], '  '].map(tag => ({ tag })))(
    'of lenient datasets may not be $tag',
    ({ tag }) => {
      refuses(rulesOf({}), { ...good, tag }, Array.isArray(tag) ? 'tag[0]' : 'tag')
    },
  )
})

/** Values of each type: those it takes and those it does not, both in strict and in lenient datasets. */
const values: [schema: object, fits: unknown[], wrong: unknown[]][] = [
  [
    { type: 'byte' },
    [0, -128, 127, '127', '-128', '+5', null],
    [128, -129, 1.5, '128', '1.5', '', 'x', true, [], {}, '1e2', ' 1'],
  ],
  [{ type: 'short' }, [-32768, 32767], [-32769, 32768]],
  [{ type: 'integer' }, [-2147483648, 2147483647, '2147483647'], [2147483648, '-2147483649']],
  [
    { type: 'long' },
    [2 ** 53 - 1, 2 ** 53, 2 ** 63 - 1024, -(2 ** 63), '9223372036854775807', '-9223372036854775808'],
    [2 ** 63, -(2 ** 63) - 2048, '9223372036854775808', '-9223372036854775809', '1'.repeat(10_000_000), 0.5],
  ],
  [
    { type: 'double' },
    [0, -1.5, 1e-300, 1e20, 1.7e308, '1.5', '-.5e10', '1.', null],
    ['', ' ', 'e', '0x10', 'Infinity', 'NaN', '1.2.3', '1,5', '1e999', true, [1], {}],
  ],
  [{ type: 'float' }, [3.4e38 / 1e30, '3.4e38'], ['3.5e38', '-1e39']],
  [{ type: 'boolean' }, [true, false, 'true', 'false', null], ['True', '', 1, 0, [], {}]],
  [
    { type: 'date' },
    ['2016-02-29', '2016-02-29T10:30:00Z', 1456704000000, null],
    ['2015-02-29', '29.02.2016', '', 1.5, true, [], {}],
  ],
  [{ type: 'date', format: 'dd.MM.yyyy' }, ['29.02.2016'], ['2016-02-29', 1456704000000]],
  [{ type: 'object', properties: { n: { type: 'byte' } } }, [{}, { n: 1 }, { n: null }, null], ['x', 1, []]],
  [{ type: 'array', items: { type: 'byte' } }, [[], [1, '2'], [null], null], ['x', 1, {}]],
  [{ type: 'any' }, [1, 'x', [], {}, [{ deep: 1 }], null], []],
]

describe.each(['strict', 'lenient'])('%s rules of a schema dataset', validation => {
  const rulesFor = (field: object, name = 'field') =>
    rulesOf({
      schema: {
        type: 'object',
        properties: {
          id: { type: 'long' },
          title: { type: 'string' },
          tag: { type: 'string' },
          [name]: field,
        },
      },
      validation,
      interpretedFields: ['title'],
    })

  it.each(values)('hold the type %j', (field, fits, wrong) => {
    const rules = rulesFor(field)
    for (const value of fits) accepts(rules, { ...good, field: value })
    for (const value of wrong) refuses(rules, { ...good, field: value }, 'field')
  })

  it('name the place of a wrong value', () => {
    const parts = { type: 'array', items: { type: 'object', properties: { n: { type: 'byte' } } } }
    refuses(rulesFor(parts), { ...good, field: [{ n: 1 }, { n: 200 }] }, 'field[1].n')
    refuses(rulesFor({ type: 'array', items: { type: 'byte' } }), { ...good, field: [1, 'x'] }, 'field[1]')
    expect(() => rulesFor({ type: 'byte' }).checkDocument({ ...good, field: 200 })).toThrow(
      'document: field is 200; expected a whole number from -128 to 127',
    )
  })

  it('accept any id, whatever type the schema gives it', () => {
    const rules = rulesFor({ type: 'byte' })
    accepts(rules, { ...good, id: 'not a number' })
    expect(rules.documentId({ ...good, id: 9 })).toBe('9')
  })

  it.each(['__proto__', 'constructor', 'toString'])('hold the type of a field named %s', name => {
    const rules = rulesFor({ type: 'byte' }, name)
    accepts(rules, good)
    accepts(rules, inText(`{"${name}":1}`))
    refuses(rules, inText(`{"${name}":"x"}`), name)
  })

  const base64: [string, boolean][] = [
    ['aGVsbG8=', true],
    ['aGVs bG8=\r\n', true],
    ['YWJj', true],
    ['+/==', true],
    ['A===', true],
    ['', false],
    [' \n', false],
    ['====', false],
    ['YWJ', false],
    ['YW=J', false],
    ['YWJ-', false],
    ['YWJ\u0100', false],
    ['YW\tJj', false],
    ['A'.repeat(4_000_000), true],
    [`${'A'.repeat(4_000_000)}=`, false],
  ]
  it.each(base64)('take the attachment %.20j: %s', (text, fits) => {
    const rules = rulesFor({ type: 'attachment' })
    if (fits) accepts(rules, { ...good, field: text })
    else refuses(rules, { ...good, field: text }, 'field')
  })
})

describe('strict rules of a schema dataset', () => {
  const text = { type: 'string' }
  const properties = {
    id: text,
    title: text,
    tag: text,
    note: text,
    file: { type: 'attachment' },
    more: { type: 'object', properties: { file: { type: 'attachment' }, note: text } },
  }
  const rules = rulesOf({
    schema: { type: 'object', properties },
    validation: 'strict',
    interpretedFields: ['title'],
  })
  const full = { ...good, file: 'YWJj', more: { file: 'YWJj' } }

  const refused: [string, unknown, string][] = [
    ['a missing attachment', { ...full, file: undefined }, 'file'],
    ['null as attachment', { ...full, file: null }, 'file'],
    ['a missing attachment inside an object', { ...full, more: {} }, 'more.file'],
    ['a missing object around an attachment', { ...full, more: undefined }, 'more.file'],
    ['a list of text as text', { ...full, note: ['x'] }, 'note'],
    ['a boolean as text', { ...full, more: { file: 'YWJj', note: true } }, 'more.note'],
    ['an unknown field before a wrong type', { ...full, note: true, x: 1 }, 'x'],
  ]
  it('accept a document that has all attachments', () => {
    accepts(rules, full)
  })
  it.each(refused)('refuse %s', (_, doc, field) => {
    refuses(rules, doc, field)
  })
})

describe('words of JSON schema beside the type', () => {
  const properties = {
    id: { type: 'string' },
    title: { type: 'string', minLength: 2, maxLength: 3 },
    price: { type: 'double', minimum: 1, exclusiveMaximum: 10 },
    colour: { type: 'string', enum: ['red', 'blue'] },
    kind: { type: 'any', const: { a: [1] } },
    parts: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: {
        type: 'object',
        required: ['n'],
        properties: { n: { type: 'long' } },
        additionalProperties: false,
      },
    },
    maker: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  }
  const schema = { type: 'object', required: ['id', 'price'], properties }
  const rules = rulesOf({ schema, interpretedFields: ['title'] })
  const full = { id: '1', price: 5 }

  const accepted: unknown[] = [
    full,
    { ...full, title: '𝄞𝄞𝄞', price: 1, colour: 'blue', kind: { a: [1] }, other: 1 },
    { ...full, price: '9.99', colour: null, parts: [{ n: 1 }, { n: 2 }], maker: { name: 'x', site: 1 } },
    { ...full, parts: null, maker: null },
  ]
  it.each(accepted)('accept %j', doc => accepts(rules, doc))

  const refused: [unknown, string][] = [
    [{ id: '1' }, 'price'],
    [{ id: '1', price: null }, 'price'],
    [{ ...full, title: 'x' }, 'title'],
    [{ ...full, title: 'long' }, 'title'],
    [{ ...full, price: 0.5 }, 'price'],
    [{ ...full, price: 10 }, 'price'],
    [{ ...full, price: '10' }, 'price'],
    [{ ...full, colour: 'Red' }, 'colour'],
    [{ ...full, kind: { a: [2] } }, 'kind'],
    [{ ...full, parts: [] }, 'parts'],
    [{ ...full, parts: [{ n: 1 }, { n: 1 }, { n: 1 }] }, 'parts'],
    [{ ...full, parts: [{}] }, 'parts[0].n'],
    [{ ...full, parts: [{ n: 1, m: 1 }] }, 'parts[0].m'],
    [{ ...full, maker: {} }, 'maker.name'],
  ]
  it.each(refused)('refuse %j and name the field', (doc, field) => refuses(rules, doc, field))

  it('ask a patch for no more than it gives, and what it makes for everything', () => {
    rules.checkPatch({ maker: { site: 1 } })
    rules.checkPatch({})
    expect(() => rules.checkPatch({ price: null })).toThrow(refusal('price'))
    expect(() => rules.checkPatch({ parts: [{}] })).toThrow(refusal('parts[0].n'))
    expect(() => rules.checkMerged({ ...full, maker: { site: 1 } })).toThrow(refusal('maker.name'))
  })
})

describe('an attachment as searched field', () => {
  const properties = { id: { type: 'string' }, tag: { type: 'string' }, file: { type: 'attachment' } }
  it.each(['strict', 'lenient'])('of %s datasets has no text before its file is read', validation => {
    const rules = rulesOf({ schema: { type: 'object', properties }, validation, interpretedFields: ['file'] })
    const doc = { id: '1', tag: 'a', file: 'aGVsbG8=' }
    accepts(rules, doc)
    refuses(rules, { ...doc, file: 'no!' }, 'file')
    expect(rules.fieldTexts(doc)).toEqual([undefined])
  })
})

describe('lenient rules', () => {
  it('ask for an id only', () => {
    accepts(rulesOf({}), { id: 1 })
    accepts(rulesOf({ sample }), { id: 1 })
    refuses(rulesOf({}), { title: 'x' }, 'id')
    refuses(rulesOf({}), { id: null }, 'id')
    refuses(rulesOf({}), {}, 'id')
  })

  it('take null as absence and keep unknown fields of any name', () => {
    accepts(rulesOf({ sample }), { id: 1, title: null, tag: null, maker: null, 'a b': { 'c.d': [1] }, '': 1 })
    accepts(rulesOf({ sample }), { ...inText('{"__proto__":{"x":1},"constructor":1}') })
  })

  it('take texts, numbers, booleans and lists of them as text', () => {
    for (const title of ['x', 7, 1.5, true, ['a', 1], [], [null]])
      accepts(rulesOf({ sample }), { ...good, title })
  })

  const wrong: [JsonObject, string][] = [
    [{ title: { en: 'x' } }, 'title'],
    [{ title: ['a', ['x']] }, 'title[1]'],
    [{ title: [{}] }, 'title[0]'],
    [{ maker: 'Acme' }, 'maker'],
    [{ maker: { name: {} } }, 'maker.name'],
    [{ parts: 'x' }, 'parts'],
    [{ parts: [1] }, 'parts[0]'],
  ]
  it.each(wrong)('refuse %j against the types of the sample', (part, field) => {
    refuses(rulesOf({ sample, interpretedFields: ['price'] }), { ...good, ...part }, field)
  })

  it('store a value that does not fit a number of the sample', () => {
    accepts(rulesOf({ sample }), { ...good, price: 'on request', maker: { city: { code: 'x' } } })
  })

  it('know interpreted fields without any sample', () => {
    refuses(rulesOf({ interpretedFields: ['name.en'] }), { ...good, name: { en: {} } }, 'name.en')
    accepts(rulesOf({ interpretedFields: ['name.en'] }), { ...good, name: 'x' })
  })
})

describe('checkPatch', () => {
  const strict = rulesOf({ sample, validation: 'strict', interpretedFields: ['title', 'maker.name'] })

  it('asks for nothing that is not given', () => {
    strict.checkPatch({})
    strict.checkPatch({ price: 2 })
    rulesOf({}).checkPatch({ title: 'x' })
  })

  const refused: [JsonObject, string][] = [
    [{ id: ' ' }, 'id'],
    [{ id: null }, 'id'],
    [{ tag: true }, 'tag'],
    [{ title: null }, 'title'],
    [{ maker: { name: null } }, 'maker.name'],
    [{ colour: 'red' }, 'colour'],
    [{ 'a b': 1 }, 'a b'],
  ]
  it.each(refused)('refuses %j by the rules of the fields it gives', (patch, field) => {
    expect(() => strict.checkPatch(patch)).toThrow(refusal(field))
  })

  it('holds types', () => {
    const schema = { type: 'object', properties: { id: { type: 'string' }, n: { type: 'byte' } } }
    expect(() => rulesOf({ schema }).checkPatch({ n: 300 })).toThrow(refusal('n'))
  })
})

describe('checkMerged', () => {
  it('sees that a patch took away what a document must have', () => {
    const rules = rulesOf({ sample, validation: 'strict', interpretedFields: ['title', 'maker.name'] })
    const patch = { maker: null }
    rules.checkPatch(patch)
    const merged = mergeDeep({ ...good, maker: { name: 'Acme' } }, patch)
    expect(() => rules.checkMerged(merged)).toThrow(refusal('maker.name'))
  })
})

describe('documentId', () => {
  it('is text whatever it was, and must be the document’s own', () => {
    const rules = rulesOf({ idField: 'constructor' })
    expect(rules.documentId(toJsonObject({ constructor: 9 }))).toBe('9')
    expect(() => rules.documentId({})).toThrow(refusal('constructor'))
  })
})

describe('fieldTexts', () => {
  const rules = rulesOf({ interpretedFields: ['title', 'colours', 'maker.name', 'toString'] })
  const cases: [JsonObject, unknown[]][] = [
    [{}, [undefined, undefined, undefined, undefined]],
    [{ title: 'x', maker: { name: 7 } }, ['x', undefined, '7', undefined]],
    [
      { title: false, colours: ['a', 1, true, null, {}] },
      ['false', ['a', '1', 'true'], undefined, undefined],
    ],
    [
      { title: null, colours: [], maker: [{ name: 'x' }, {}, { name: ['y', 2] }] },
      [undefined, [], ['x', 'y', '2'], undefined],
    ],
  ]
  it.each(cases)('of %j are %j', (doc, texts) => {
    expect(rules.fieldTexts(doc)).toEqual(texts)
  })
})
