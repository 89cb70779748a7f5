import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expectedCatalogue, readDocuments } from '../collections.ts'
import type { CollectionName, Shown } from './check.ts'
import { germanShop } from './german.ts'
import { manyScripts } from './scripts.ts'

/** Those that this repository has, and those that lie in the folder of evaluation data. */
export const ownCollections: readonly CollectionName[] = ['sample', 'scripts', 'german']
const givenCollections: readonly CollectionName[] = ['esci-us-small', 'pricerunner']

export function collectionsAt(evaluationData: string | undefined): CollectionName[] {
  const given = givenCollections.filter(name => evaluationData && existsSync(join(evaluationData, name)))
  return [...given, ...ownCollections]
}

export function readCollection(name: CollectionName, evaluationData: string | undefined): readonly Shown[] {
  if (name === 'scripts') return manyScripts
  if (name === 'german') return germanShop()
  if (name === 'sample') return expectedCatalogue().documents
  if (evaluationData === undefined) throw new Error(`${name} lies in the folder of evaluation data`)
  return readDocuments(join(evaluationData, name, 'documents.jsonl'))
}

export const languageOf = (name: CollectionName): 'english' | 'german' | 'none' =>
  name === 'german' ? 'german' : name === 'scripts' ? 'none' : 'english'
