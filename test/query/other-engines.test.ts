import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../src/query/parser.ts'
import { compileCondition } from './compiled.ts'
import { openShop, shop } from './shop.ts'

const guide = readFileSync(new URL('../../src/guides/filters-and-facets.md', import.meta.url), 'utf8')
const [, table = ''] = guide.split('### The syntax of other engines')
const rows = table
  .split('\n## ')[0]!
  .split('\n')
  .filter(line => line.startsWith('| `'))
  .map(line => {
    const cells = line.replaceAll('\\|', '\0').split('|').slice(1, -1)
    const written = cells.map(cell =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!.replaceAll('\0', '|')),
    )
    return { theirs: written.slice(0, -1).flat(), ours: written.at(-1)![0]! }
  })
const forms = rows.flatMap(({ theirs, ours }) => theirs.map(one => [one, ours] as const))

describe('a filter of another engine', () => {
  it('is compared in a table', () => {
    expect(rows.length).toBeGreaterThan(14)
  })

  it.each(forms)('%s means %s', (theirs, ours) => {
    expect(parseQuery(theirs, shop)).toEqual(parseQuery(ours, shop))
  })

  it.each([
    ['brand=Uvex', 'brand:="Uvex"'],
    ['brand!="Uvex x"', 'NOT brand:="Uvex x"'],
    ['brand IN[Uvex,Bosch]', 'brand:="Uvex" OR brand:="Bosch"'],
    ['price 10 TO 20 AND brand EXISTS', 'price:[10 TO 20] AND _exists_:brand'],
    ['brand IN []', 'NOT *:*'],
    ["brand = 'De Longhi'", 'brand:="De Longhi"'],
    ["brand='De Longhi' AND price<5", 'brand:="De Longhi" AND price:<5'],
    ["brand IN ['Uvex', 'it\\'s']", 'brand:="Uvex" OR brand:="it\'s"'],
    ["title CONTAINS 'Desk l'", 'title CONTAINS "Desk l"'],
    ['brand>2024-01-01', 'brand:>2024-01-01'],
    ['brand > C', 'brand:>C'],
    ['brand = 38', 'brand:="38"'],
    ['brand:[Uvex]', 'brand:="Uvex"'],
    ['brand:=[Uvex]', 'brand:="Uvex"'],
    ['sold = TRUE', 'sold:true'],
    ['brand 2024-05-31 TO 2024-06-30', 'brand:=["2024-05-31" TO "2024-06-30"]'],
    ['brand IN [2024-05-31..2024-06-30]', 'brand:=["2024-05-31" TO "2024-06-30"]'],
    ['price != 5 lamp', '(NOT price:5) OR lamp'],
    ['price:[1..2, 7]', 'price:[1 TO 2] OR price:7'],
    ['released 2024-01 TO 2024-02', 'released:[2024-01 TO 2024-02]'],
    ['brand = "a \\"b\\""', 'brand:="a \\"b\\""'],
  ])('%s is %s', (theirs, ours) => {
    expect(parseQuery(theirs, shop)).toEqual(parseQuery(ours, shop))
  })

  it.each([
    ['prise < 50', 0, /did you mean "price"/],
    ['colour = red', 0, /one of the fields/],
    ['= red', 0, /the name of a field before =/],
    ['lamp AND > 5', 9, /the name of a field before >/],
    ['price <', 7, /a value of price after </],
    ['brand !=', 8, /a value of brand after !?=/],
    ['price = cheap', 0, /a number, because price holds numbers/],
    ['brand IN [Uvex', 14, /a comma, or \]/],
    ['brand IN ["Uvex]', 10, /a second quote/],
    ['price CONTAINS 5', 0, /price does not hold text/],
    ['title CONTAINS ""', 0, /should contain/],
    ['title CONTAINS', 14, /a value of title after CONTAINS/],
    ['!= Uvex', 0, /the name of a field before !=/],
    ['brand == Uvex', 0, /one of the signs =, !=/],
    ['brand <> Uvex', 0, /one of the signs =, !=/],
    ['sold = yes', 0, /true or false, because sold holds booleans/],
    [`brand IN [${','.repeat(1_000_000)}]`, 9, /at most 65536 values/],
  ])('%s is refused at offset %i', (query, at, expected) => {
    expect(() => parseQuery(query, shop)).toThrow(
      expect.objectContaining({ code: 'QUERY_INVALID', details: expect.objectContaining({ at }) }),
    )
    expect(() => parseQuery(query, shop)).toThrow(expected)
  })

  it('leaves words as they are where nobody writes an operator', () => {
    const word = fc.constantFrom(
      'brand',
      'price',
      'lamp',
      'in',
      'to',
      'exists',
      'IN',
      'EXISTING',
      'TO',
      'ten',
      '5',
      'is',
    )
    const check = (words: string[]) => {
      const text = words.join(' ')
      if (/price 5 TO 5/.test(text)) return
      const each = words.map(one => parseQuery(one, shop))
      const query = parseQuery(text, shop)
      const leaves = query.kind === 'any' ? query.of : [query]
      expect(leaves).toEqual(each)
    }
    fc.assert(fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), check))
  })

  it('holds of the documents that it names', () => {
    const documents = [
      { id: 'a', title: 'Desk lamp', brand: 'Uvex', price: 5 },
      { id: 'b', title: 'Lamp', brand: 'uvex', price: 20 },
      { id: 'c', title: 'Sofa' },
    ]
    const idsOf = (condition: unknown, fields = shop) =>
      documents.filter(compileCondition(condition, fields, 'filter')).map(({ id }) => id)
    for (const fields of [shop, openShop]) {
      expect(idsOf('brand != Uvex', fields)).toEqual(['b', 'c'])
      expect(idsOf('price < 10', fields)).toEqual(['a'])
      expect(idsOf('price 10 TO 20', fields)).toEqual(['b'])
      expect(idsOf('brand NOT EXISTS', fields)).toEqual(['c'])
      expect(idsOf('title CONTAINS amp', fields)).toEqual(['a', 'b'])
      expect(idsOf('title STARTS WITH De', fields)).toEqual(['a'])
    }
  })
})
