import { describe, expect, test } from 'vitest'
import { DataSetSettingsUpdate } from '../../../adapters/http/src/wire/settings.ts'

describe('the language of settings', () => {
  test.each([
    ['German', 'German'],
    ['de', 'German'],
    ['de-AT', 'German'],
    ['pt_BR', 'Portuguese'],
  ])('%s is read as %s', (given, language) => {
    expect(DataSetSettingsUpdate.parse({ Language: given })).toEqual({ Language: language })
  })

  test.each(['xx', 'german', 'deutsch', 'de-', 5])('%s is none', given => {
    expect(DataSetSettingsUpdate.safeParse({ Language: given }).success).toBe(false)
  })
})
