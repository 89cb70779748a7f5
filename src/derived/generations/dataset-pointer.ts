import type { DatasetNumber } from '../../store/dataset-number.ts'
import { type DatasetEntry, datasetEntry } from '../../store/manifest.ts'
import type { GenerationPointer } from './generations.ts'

/** The pointer to a dataset's generations in a member of its entry; if that is absent, there are none. */
export const datasetPointer = (
  dataset: DatasetNumber,
  member: 'index' | 'classifier' | 'categories' | 'ranking',
  prefix: (dataset: DatasetNumber, generation: number) => string,
): GenerationPointer<DatasetEntry> => ({
  prefix: generation => prefix(dataset, generation),
  read: entry => entry[member] ?? 0,
  written: generation => ({ [member]: generation }),
  find: manifest => datasetEntry(manifest, dataset),
  entry: transaction => transaction.dataset(dataset),
  change: (transaction, change) => transaction.setEntry(dataset, change),
})
