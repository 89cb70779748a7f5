import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentKindOf, FieldContent } from '../../../src/datasets/content/field-content.ts'
import { nameFit } from '../../../src/datasets/content/field-names.ts'
import { anyCharacter } from '../../any-character.ts'

describe('a short text', () => {
  it.each([
    ['Oak table', 'words'],
    ['red', 'words'],
    ['Lamp 3', 'words'],
    ['XL', 'words'],
    ['12', 'whole'],
    ['12,50 €', 'decimal'],
    ['1.299,00', 'decimal'],
    ['2024-05-01', 'date'],
    ['31.12.2024 10:30', 'date'],
    ['5/7/2024', 'date'],
    ['https://shop.example/a?b=c', 'address'],
    ['www.shop.example', 'address'],
    ['info@shop.example', 'address'],
    ['img/lamp.JPG', 'address'],
    ['AB-1200', 'code'],
    ['M8x40', 'code'],
    ['DE 123 456', 'code'],
    ['[0.12, -3e-5,1]', 'decimal'],
    ['[1.0.0,2.0.0]', 'code'],
    ['[030,12345]', 'code'],
    ['[1e999,1]', 'code'],
    ['[2024-05-01]', 'code'],
    ['[12] nuts, 3 bolts', 'words'],
    ['', undefined],
    [' \n', undefined],
  ])('%j is told by its look', (text, kind) => {
    expect(contentKindOf(text)).toBe(kind)
  })

  it('may have any signs and any length', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), text => void contentKindOf(text)))
    for (const sign of ['a', '1', '.', ' ', '@', '-', '/', '\ud800'])
      expect(contentKindOf(sign.repeat(10_000_000))).toBe(sign === '/' ? 'address' : 'words')
  })
})

describe('what a field has', () => {
  const contentIn = (...texts: string[]) => {
    const content = new FieldContent()
    for (const text of texts) content.add(text)
    return content
  }

  it('is told by shares of its values', () => {
    const content = contentIn('12', '9,50 €', '', 'on request', '12')
    expect([content.filled, content.share('whole'), content.share('whole', 'decimal')]).toEqual([
      4, 0.5, 0.75,
    ])
    expect([content.repetition, content.currencies, content.phrases]).toEqual([0.25, 0.25, 0.5])
    expect([contentIn().share('words'), contentIn().length, contentIn().phraseLength]).toEqual([
      0,
      0,
      undefined,
    ])
  })

  it('is numerals where digits count nothing', () => {
    expect(contentIn('4006381333931', '96385074').areNumerals).toBe(true)
    expect(contentIn('007', '12').areNumerals).toBe(true)
    expect(contentIn('7', '120').areNumerals).toBe(false)
  })
})

describe('a name', () => {
  it.each([
    ['title', 'title'],
    ['Product-Title', 'title'],
    ['product.name', 'title'],
    ['Art.-Nr.', 'id'],
    ['SKU', 'id'],
    ['Preis (€)', 'price'],
    ['sale_price', 'price'],
    ['Qty', 'stock'],
    ['Warengruppe', 'category'],
    ['EAN-Code', 'code'],
    ['Beschreibung', 'text'],
  ] as const)('%s says what the field is for', (name, role) => {
    expect(nameFit(name, role)).toBeGreaterThan(0.5)
  })

  it.each([
    ['brand name', 'title'],
    ['Kategoriename', 'title'],
    ['color', 'title'],
    ['priceless', 'price'],
    ['', 'title'],
    ['__proto__', 'id'],
    ['x'.repeat(1_000_000), 'id'],
  ] as const)('%.20s is no name of that', (name, role) => {
    expect(nameFit(name, role)).toBe(0)
  })
})
