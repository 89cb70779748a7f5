// What examples in the documentation are made of: with the sample catalogue they work.

export const sampleDataset = 'demo'
/** The dataset with orders of its products. */
export const sampleOrderSet = 'demo-orders'
/** A product that is bought together with others. */
export const exampleBought = 'p-000952'
/** Alias of a classifier service that comes with it, as new. */
export const exampleClassifier = 'demo-classifier'

/** Alias of a service of similar documents that comes with it, as new. */
export const exampleSimilar = 'demo-similar'

/** Has every field that a product of the catalogue may have. */
export const sampleProduct = {
  id: 'p-000000',
  title: 'Cordless Combi Drill, Bare Unit, 12 V',
  description: 'For wood, metal and brick.',
  brand: 'Torquill',
  tag: ['drills'],
  price: 74.95,
  stock: 55,
  released: '2020-08-23',
  popularity: 0.0035,
  rating: 4.2,
  model: 'DX-850P',
  color: 'grey',
  size: '12 V',
  material: 'steel',
}

export const exampleSettings = {
  NGramCount: 3,
  IdField: 'id',
  TagField: 'tag',
  InterpretedFields: ['title', 'description', 'brand'],
}

/** The schema of such products. */
export const exampleSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    brand: { type: 'string' },
    tag: { type: 'array', items: { type: 'string' } },
    price: { type: 'double' },
    stock: { type: 'integer' },
    released: { type: 'date' },
    popularity: { type: 'double' },
    rating: { type: 'double' },
    model: { type: 'string' },
    color: { type: 'string' },
    size: { type: 'string' },
    material: { type: 'string' },
  },
}

const line = `${JSON.stringify({ ...sampleProduct, id: 'my-4' })}\n`
const table = [
  ['id', 'title', 'description', 'brand', 'tag', 'price'],
  ['my-5', 'Cordless Combi Drill', 'For wood and metal.', 'Torquill', 'drills', '74.95'],
]

/** What an import takes, by content type. */
export const exampleRows = {
  'application/x-ndjson': line,
  'application/jsonl': line,
  'text/csv': table.map(cells => `${cells.join(',')}\n`).join(''),
  'text/tab-separated-values': table.map(cells => `${cells.join('\t')}\n`).join(''),
}
