import * as z from 'zod'

export const datasetNumberSchema = z.int().positive().brand<'dataset'>()

/** The internal number of a dataset: it stays when the name changes, and is not reused after a removal. */
export type DatasetNumber = z.output<typeof datasetNumberSchema>

export const FIRST_DATASET = 1 as DatasetNumber

export const datasetAfter = (dataset: DatasetNumber): DatasetNumber => (dataset + 1) as DatasetNumber

/** The number as it appears in keys: eight hex digits. */
export const hexOfDataset = (dataset: DatasetNumber): string => dataset.toString(16).padStart(8, '0')
export const datasetOfHex = (hex: string): DatasetNumber => Number.parseInt(hex, 16) as DatasetNumber
