import { Engine, type FieldSchema } from 'findling'
import { describe, expect, test } from 'vitest'
import { cellReader } from '../../../adapters/http/src/wire/cells.ts'

const properties: [string, FieldSchema][] = [
  ['title', { type: 'string' }],
  ['stock', { type: 'integer' }],
  ['price', { type: 'double' }],
  ['isNew', { type: 'boolean' }],
  ['tag', { type: 'array', items: { type: 'string' } }],
  ['sizes', { type: 'array', items: { type: 'long' } }],
  ['spec', { type: 'object', properties: [['weight', { type: 'float' }]] }],
]
const read = cellReader({ root: { type: 'object', properties } })

describe('cellReader', () => {
  test.each([
    ['title', '12', '12'],
    ['title', '', ''],
    ['stock', '12', 12],
    ['stock', 'many', 'many'],
    ['stock', '9007199254740993', '9007199254740993'],
    ['stock', ' ', undefined],
    ['price', '1.5', 1.5],
    ['price', '1e999', '1e999'],
    ['isNew', 'true', true],
    ['isNew', 'false', false],
    ['isNew', 'maybe', 'maybe'],
    ['isNew', '', undefined],
    ['tag', 'a|b', ['a', 'b']],
    ['tag', '', []],
    ['sizes', '38|40', [38, 40]],
    ['spec.weight', '0.5', 0.5],
    ['spec', 'text', 'text'],
    ['unknown', '1', '1'],
    ['__proto__', '1', '1'],
  ])('reads the cell %s with %j as %j', (field, text, value) => {
    expect(read(field, text)).toEqual(value)
  })

  test('reads what the export wrote', async () => {
    await using engine = await Engine.open()
    const document = { id: '7', title: 'Café, "small"', price: 1.5, tag: ['a', 'b'], spec: { weight: 2 } }
    const one = await engine.datasets.create<object>('one', { sample: document })
    const other = await engine.datasets.create<object>('other', { sample: document })
    await one.documents.insert(document)
    const text = one.documents.export({ format: 'csv' })
    await other.documents.import(text, { format: 'csv', convert: cellReader(other.schema) }).finished
    expect(await other.documents.get('7')).toEqual(document)
  })
})
