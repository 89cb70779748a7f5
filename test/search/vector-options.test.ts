import { describe, expect, it } from 'vitest'
import { readVector, type VectorQuery, vectorOptions, vectorsFor } from '../../src/search/vector-options.ts'
import { DocumentVectors } from '../../src/vectors/dataset/document-vectors.ts'

const vectors = { embedding: { dimensions: 2 } }
const request = readVector(vectorOptions.parse({ value: [1, 0] }), { vectors }, undefined) as VectorQuery

describe('the vectors for a request', () => {
  it('are those of its field', () => {
    expect(vectorsFor(request, new DocumentVectors(vectors)).list.dimensions).toBe(2)
  })

  it.each([{}, { other: { dimensions: 2 } }, { embedding: { dimensions: 3 } }])(
    'are refused if the settings have changed since it was read: %j',
    changed => {
      const refused = expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ field: 'vector.field' }),
      })
      expect(() => vectorsFor(request, new DocumentVectors(changed as typeof vectors))).toThrow(refused)
    },
  )
})
