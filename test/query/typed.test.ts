import { describe, expect, it } from 'vitest'
import { parseTyped } from '../../src/query/parser.ts'
import { printQuery } from '../../src/query/print.ts'
import { shop } from './shop.ts'

const cases: [typed: string, read: string][] = [
  // What is syntax and can be read as such is.
  ['+lamp -red blue', '+lamp -red blue'],
  ['"desk lamp"~1', '"desk lamp"~1'],
  ['\u201cdesk lamp\u201d', '"desk lamp"'],
  ['lamp price:<20', 'lamp OR price:[* TO 20}'],
  ['lamp price<20', 'lamp OR price:[* TO 20}'],
  ['(red OR blue) AND lamp', '(red OR blue) AND lamp'],
  ['lam* l?mp', 'lam* OR l?mp'],
  // What cannot be read is words.
  ['27" monitor 24" tv', '"27 in" OR monitor OR "24 in" OR tv'],
  ['"desk lamp', 'desk OR lamp'],
  ['lamp (red', 'lamp OR red'],
  ['lamp) red', 'lamp OR red'],
  ['lamp - red', 'lamp OR red'],
  ['wow! what a lamp?', 'wow OR what OR a OR lamp'],
  ['AND lamp OR', 'and OR lamp OR or'],
  ['NOT', 'not'],
  ['sale 50%: now', 'sale OR "50" OR now'],
  ['http://lamp.de', 'http OR "lamp de"'],
  ['price:cheap', 'price OR cheap'],
  ['price:(cheap OR 5)', 'cheap OR price:=5'],
  ['sold:maybe', 'sold OR maybe'],
  ['colour:red', 'colour OR red'],
  ['released:soon', 'released OR soon'],
  ['[red lamp', 'red OR lamp'],
  ['[red] {lamp}', 'red OR lamp'],
  ['lamp^ ~red', 'lamp OR red'],
  ['lamp && || red', 'lamp AND red'],
  ['!!!', 'NOT *:*'],
  ['', '*:*'],
  ['  ', '*:*'],
  ['*', '*:*'],
  ['\\', 'NOT *:*'],
]

describe('what somebody types', () => {
  it.each(cases)('%s is read as %s', (typed, read) => {
    expect(printQuery(parseTyped(typed, shop))).toBe(read)
  })

  it('asks for all words on demand, also where they could not be read otherwise', () => {
    const printed = (typed: string) => printQuery(parseTyped(typed, shop, { operator: 'and' }))
    expect(printed('red lamp')).toBe('red AND lamp')
    expect(printed('price:cheap (lamp')).toBe('price AND cheap AND lamp')
  })
})
