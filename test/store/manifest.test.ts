import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unseal } from '../../src/store/checksum.ts'
import { FIRST_DATASET } from '../../src/store/dataset-number.ts'
import { MANIFEST_KEY } from '../../src/store/keyspace.ts'
import {
  type DatasetEntry,
  EntryTexts,
  emptyManifest,
  manifestOperation,
  readManifest,
  withEntry,
} from '../../src/store/manifest.ts'
import { anyCharacter } from '../any-character.ts'

const storedText = (value: Uint8Array): string => unseal(MANIFEST_KEY, value)!.toString()

const entry = fc.record({
  dataset: fc.constant(FIRST_DATASET),
  name: fc.string({ unit: anyCharacter }),
  createdAt: fc.double({ noNaN: true }),
  settings: fc.jsonValue(),
  schema: fc.jsonValue(),
  findsFields: fc.option(fc.boolean(), { nil: undefined }),
  index: fc.integer({ min: 1 }),
  classifier: fc.option(fc.integer({ min: 1 }), { nil: undefined }),
  tagsToClean: fc.array(fc.string({ unit: anyCharacter })),
})

describe('a stored manifest', () => {
  it('is the JSON of all of it, however its entries have changed since others were written', () => {
    fc.assert(
      fc.property(fc.array(fc.array(entry, { maxLength: 4 }), { maxLength: 5 }), states => {
        const texts = new EntryTexts()
        let datasets: DatasetEntry[] = []
        for (const added of states) {
          datasets = [...datasets.slice(1), ...added]
          const trash = added.map(({ name }) => name)
          const manifest = withEntry({ ...emptyManifest(), datasets, trash }, FIRST_DATASET, { index: 7 })
          for (const one of [{ ...manifest, datasets }, manifest])
            expect(storedText(manifestOperation(one, texts).value)).toBe(JSON.stringify(one))
        }
      }),
    )
  })

  it('is read as it was written', () => {
    const given = { ...emptyManifest(), trash: ['d/1/'] }
    expect(readManifest(storedText(manifestOperation(given).value))).toEqual(given)
  })
})
