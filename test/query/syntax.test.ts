import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../src/query/parser.ts'
import { printQuery } from '../../src/query/print.ts'
import { found, openShop, shop } from './shop.ts'

const documents = [
  {
    id: 'a',
    title: 'Red desk lamp',
    desc: 'Two words of light',
    price: 10,
    sold: true,
    colors: ['red', 'blue'],
  },
  { id: 'b', title: 'Blue lamp', brand: 'De Longhi', price: 1000, sizes: [1, 9], released: '2024-02-10' },
  {
    id: 'c',
    title: 'Laptop',
    specs: { color: 'red', weight: 2 },
    price: 1500,
    released: '2023-12-31T23:59:59Z',
  },
  {
    id: 'd',
    title: 'Garden hose',
    brand: 'Sony',
    sku: 'AB-12',
    variants: [{ name: 'short', price: 5 }, { price: 9 }],
  },
  {
    id: 'e',
    title: null,
    brand: 'sony ericsson',
    price: null,
    colors: [],
    sold: false,
    checked: '29.02.2024',
  },
]

const cases: [query: string, matching: string][] = [
  // words, in any searched field and any case
  ['lamp', 'ab'],
  ['LAPTOP', 'c'],
  ['lamp hose', 'abd'],
  ['desk light', 'a'],
  ['sony', ''],
  ['short', 'd'],
  // boolean
  ['red AND lamp', 'a'],
  ['desk AND light', 'a'],
  ['red OR hose', 'ad'],
  ['NOT lamp', 'cde'],
  ['blue && lamp', 'b'],
  ['blue || hose', 'bd'],
  ['blue&&lamp', 'b'],
  ['!lamp', 'cde'],
  ['+lamp blue', 'ab'],
  ['lamp -blue', 'a'],
  ['+lamp -red', 'b'],
  ['- lamp', 'cde'],
  ['lamp NOT red', 'b'],
  ['NOT NOT lamp', 'ab'],
  ['laptop OR NOT lamp', 'cde'],
  ['NOT lamp OR blue', 'bcde'],
  ['red AND lamp OR hose', 'ad'],
  ['hose OR red AND lamp', 'ad'],
  ['hose red AND lamp', 'ad'],
  ['and', ''],
  // grouping
  ['(red OR blue) AND lamp', 'ab'],
  ['lamp AND (desk OR (hose))', 'a'],
  ['-(lamp hose)', 'ce'],
  ['title:(lamp hose)', 'abd'],
  ['title:(lamp -blue)', 'a'],
  ['title:(lamp AND brand:longhi)', 'b'],
  ['price:(10 OR 1500)', 'ac'],
  // fields, nested ones, lists
  ['title:lamp', 'ab'],
  ['desc:lamp', ''],
  ['brand:sony', 'de'],
  ['brand:"de longhi"', 'b'],
  ['specs.color:red', 'c'],
  ['colors:blue', 'a'],
  ['variants.name:short', 'd'],
  ['variants.price:9', 'd'],
  ['sizes:9', 'b'],
  ['sku:ab-12', 'd'],
  ['sku:12-ab', ''],
  ['sold:true', 'a'],
  ['sold:false', 'e'],
  ['sold:True', 'a'],
  ['sold:"FALSE"', 'e'],
  ['price:1000', 'b'],
  ['price:1e3', 'b'],
  ['price:"1000"', 'b'],
  ['price: 10', 'a'],
  ['released:2024', 'b'],
  ['released:2024-02', 'b'],
  ['released:2024-02-10', 'b'],
  ['released:2024-02-11', ''],
  ['released:2023-12-31T23:59:59Z', 'c'],
  ['checked:29.02.2024', 'e'],
  ['checked:2024-02', 'e'],
  ['title:\\lamp', 'ab'],
  // phrases
  ['"desk lamp"', 'a'],
  ['"lamp desk"', ''],
  ['"red lamp"', ''],
  ['"red lamp"~1', 'a'],
  ['"two light"~2', 'a'],
  ['"two light"~1', ''],
  ['title:"blue lamp"', 'b'],
  ['"lamp two"~9', ''],
  ['desk-lamp', 'a'],
  // wildcards
  ['lap*', 'c'],
  ['l?mp', 'ab'],
  ['*amp', 'ab'],
  ['*A*P', 'abc'],
  ['lam?', 'ab'],
  ['lamp?', ''],
  ['brand:so*', 'de'],
  ['desk-l*', 'a'],
  ['*', 'abcde'],
  ['*:*', 'abcde'],
  ['title:*', 'abcd'],
  ['colors:*', 'a'],
  // fuzzy
  ['lmap~', 'ab'],
  ['lamb~1', 'ab'],
  ['lum~2', 'ab'],
  ['lamb~0', ''],
  ['lamb~0.7', 'ab'],
  ['la~', ''],
  ['brand:soni~', 'de'],
  // ranges
  ['price:[10 TO 1000]', 'ab'],
  ['price:{10 TO 1000]', 'b'],
  ['price:[10 TO 1000}', 'a'],
  ['price:{10 TO 1000}', ''],
  ['price:[* TO 1000]', 'ab'],
  ['price:[1000 TO *]', 'bc'],
  ['price:[* TO *]', 'abc'],
  ['price:[-5 TO 1e1]', 'a'],
  ['sizes:[2 TO 8]', ''],
  ['sizes:[8 TO 10]', 'b'],
  ['released:[2023 TO 2024]', 'bc'],
  ['released:{2023 TO 2024]', 'b'],
  ['released:[2023 TO 2024}', 'c'],
  ['checked:[29.02.2024 TO 01.03.2024]', 'e'],
  ['brand:[D TO E]', 'b'],
  ['brand:["De L" TO "De M"]', 'b'],
  ['title:[lamp TO laptop}', 'ab'],
  ['title:{LAMP TO *]', 'ac'],
  ['[lap TO laz]', 'c'],
  // comparisons
  ['price:>1000', 'c'],
  ['price:>=1000', 'bc'],
  ['price:<1000', 'a'],
  ['price:<=1000', 'ab'],
  ['price:> 1000', 'c'],
  ['price>1000', 'c'],
  ['price>=1000', 'bc'],
  ['price<1000', 'a'],
  ['price> 1000', 'c'],
  ['price:(>10 AND <=1000)', 'b'],
  ['price:(+>10 -1000)', 'c'],
  ['released:>2023', 'b'],
  ['released:>=2023-12-31', 'bc'],
  ['released:<2024', 'c'],
  ['released<2024', 'c'],
  ['title>lamp', ''],
  // boosts
  ['lamp^3', 'ab'],
  ['lamp^0.5 hose^2', 'abd'],
  ['(lamp hose)^2', 'abd'],
  ['"desk lamp"~1^2', 'a'],
  ['price:[10 TO 20]^4', 'a'],
  ['price>1000^3', 'c'],
  ['lamp~1^2', 'ab'],
  // has a value
  ['_exists_:brand', 'bde'],
  ['_exists_:price', 'abc'],
  ['_exists_:colors', 'a'],
  ['_exists_:specs', 'c'],
  ['_exists_:specs.color', 'c'],
  ['NOT _exists_:title', 'e'],
  // escapes
  ['\\(lamp\\)', 'ab'],
  ['lam\\*', ''],
  ['brand:\\"sony\\"', 'de'],
  ['title:"desk \\"lamp\\""', 'a'],
  ['released:2023\\-12\\-31T23\\:59\\:59Z', 'c'],
  // exact values
  ['brand:="Sony"', 'd'],
  ['brand:="sony"', ''],
  ['price:=10', 'a'],
  ['sold:=true', 'a'],
  ['title:=["L" TO *]', 'ac'],
  ['title:=["L" TO M]', 'c'],
  // signs that are no word
  ['lamp & hose', 'abd'],
  ['extra:5', ''],
]

describe('a query string', () => {
  it.each(cases)('%s matches "%s"', (query, matching) => {
    expect(found(query, documents)).toBe(matching)
    const tree = parseQuery(query, shop)
    expect(parseQuery(printQuery(tree), shop)).toEqual(tree)
  })

  it('joins words by AND on demand, and then OR binds less closely', () => {
    const printed = (query: string) => printQuery(parseQuery(query, shop, { operator: 'and' }))
    expect(printed('red lamp')).toBe('red AND lamp')
    expect(printed('red -lamp +desk')).toBe('red AND NOT lamp AND desk')
    expect(printed('red lamp OR hose')).toBe('red AND lamp OR hose')
  })

  it('keeps what only counts in the ranking', () => {
    expect(printQuery(parseQuery('+lamp red blue^2 -hose', shop))).toBe('+lamp -hose red blue^2')
    expect(parseQuery('+lamp red', shop)).toEqual({
      kind: 'every',
      of: [
        { kind: 'word', field: null, word: 'lamp' },
        { kind: 'any', of: [{ kind: 'word', field: null, word: 'red' }, { kind: 'everything' }] },
      ],
    })
  })

  it('takes a boolean in capitals for the boolean and for the text, as files have it', () => {
    const sold = [
      { id: 'a', sold: 'TRUE' },
      { id: 'b', sold: true },
      { id: 'c', sold: 'no' },
    ]
    for (const query of ['sold:TRUE', 'sold = TRUE', 'sold:=TRUE', 'NOT sold:no'])
      expect([query, found(query, sold, openShop)]).toEqual([query, 'ab'])
  })

  it('asks a field that may hold everything for numbers, booleans and text', () => {
    const mixed = [
      { id: 'a', n: 5, flag: true },
      { id: 'b', n: '5', flag: 'true' },
      { id: 'c', n: 5.5, flag: false, '-x': 1 },
      { id: 'd', n: 'size 5, or 6', made: '2024-05-01', nested: [{ n: 5 }] },
      { id: 'e', n: [4, 6, 'six'] },
    ]
    const all = (query: string) => found(query, mixed, openShop)
    expect(all('n:5')).toBe('abd')
    expect(all('n:"5"')).toBe('bd')
    expect(all('n:5.5')).toBe('c')
    expect(all('n:>5')).toBe('ce')
    expect(all('n>5')).toBe('ce')
    expect(all('n:[5 TO 6]')).toBe('ace')
    expect(all('n:six')).toBe('e')
    expect(all('flag:true')).toBe('ab')
    expect(all('flag:TRUE')).toBe('ab')
    expect(all('flag:=FALSE')).toBe('c')
    expect(all('flag:=TRUE')).toBe('a')
    expect(all('flag:=true')).toBe('a')
    expect(all('flag = True')).toBe('a')
    expect(all('flag:"TRUE"')).toBe('b')
    expect(all('made:[2024 TO 2025]')).toBe('')
    expect(all('made:[2024-01 TO 2025-01]')).toBe('d')
    expect(all('made:["2024" TO "2025"]')).toBe('d')
    expect(all('nested.n:5')).toBe('d')
    expect(all('\\-x:1')).toBe('c')
    expect(all('_exists_:\\-x')).toBe('c')
    expect(all('words>six')).toBe('')
  })
})

const errors: [query: string, at: number, expected: RegExp][] = [
  ['', 0, /a word/],
  ['...', 0, /a word/],
  ['lamp)', 4, /a word/],
  ['(lamp', 5, /a \) that closes the \( at offset 0/],
  ['lamp ()', 5, /between the brackets/],
  ['"lamp', 0, /a second quote/],
  ['AND lamp', 0, /a word/],
  ['lamp AND', 8, /after the operator/],
  ['lamp OR OR hose', 8, /a word/],
  ['lamp -', 6, /a word/],
  ['(lamp NOT)', 9, /a word/],
  ['lamp]', 4, /a word/],
  [':lamp', 0, /a word/],
  ['~2', 0, /a word/],
  ['lamp^', 4, /a number after \^/],
  ['lamp^x', 4, /a number after \^/],
  ['pric:5', 0, /did you mean "price"\?/],
  ['lamp specs.colour:red', 5, /did you mean "specs.color"\?/],
  ['_exists_:brnad', 9, /did you mean "brand"\?/],
  ['lamp brnad IN [a, b]', 5, /did you mean "brand"\?/],
  ['brnad NOT IN [a]', 0, /did you mean "brand"\?/],
  ['lamp price:cheap', 11, /a number, because price holds numbers/],
  ['price:[1 TO x]', 6, /a number/],
  ['price:10*', 6, /a number/],
  ['price:>', 7, /a value of price after >/],
  ['price>cheap', 0, /a number/],
  ['price:10~', 6, /no ~ on price/],
  ['price:1e999', 6, /a number/],
  ['released:soon', 9, /a date/],
  ['released:2024-02-30', 9, /a date/],
  ['sold:yes', 5, /true or false/],
  ['sold:[true TO false]', 5, /no range of sold/],
  ['specs:red', 6, /a member of specs/],
  ['title:', 6, /a value of title/],
  ['title:)', 6, /a value of title/],
  ['title:"!!!"', 6, /a value of title/],
  ['title:-lamp', 6, /the sign before the field, such as -title:/],
  ['price:[1 10]', 9, /TO/],
  ['price:[1 TO 10', 14, /\] or \}/],
  ['price:[1 TO]', 11, /where the range ends/],
  ['price:[', 7, /where the range begins/],
  ['l*mp~', 0, /either a wildcard or ~/],
]

describe('a query string that cannot be read', () => {
  it.each(errors)('%s is refused at offset %i', (query, at, expected) => {
    expect(() => parseQuery(query, shop)).toThrow(
      expect.objectContaining({
        code: 'QUERY_INVALID',
        details: expect.objectContaining({ field: 'query', at, expected: expect.stringMatching(expected) }),
      }),
    )
  })

  it('is refused by a message that shows what stands there, around it, and what is accepted', () => {
    const long = `${'lamp OR '.repeat(50)}price:cheap${' OR lamp'.repeat(50)}`
    expect(() => parseQuery(long, shop, { what: 'filter' })).toThrow(
      'filter has "cheap" at offset 406 of "…R lamp OR lamp OR price:cheap OR lamp OR lamp OR…"; ' +
        'expected a number, because price holds numbers',
    )
  })
})
