/** Which rare features to drop. */
export interface Compression {
  /** Maximum number of occurrences within a tag. */
  readonly inTag: number
  /** Maximum number of occurrences in all documents. */
  readonly inDataset: number
  /** Whether both limits must hold, or one of them. */
  readonly operator: 'AND' | 'OR'
}

/** Predefined levels: drop nothing; drop what occurs once; drop what occurs at most twice in each tag. */
export const compressionLevels: readonly Compression[] = [
  { inTag: 0, inDataset: 0, operator: 'AND' },
  { inTag: 1, inDataset: 1, operator: 'AND' },
  { inTag: 2, inDataset: 100_000, operator: 'AND' },
]

/** A limit of zero drops nothing. */
export function leavesOut({ inTag, inDataset }: Compression): boolean {
  return inTag > 0 && inDataset > 0
}

/** Whether a feature with these numbers of occurrences is dropped. */
export function isLeftOut(
  { inTag, inDataset, operator }: Compression,
  ofTag: number,
  ofDataset: number,
): boolean {
  const [rareInTag, rare] = [ofTag <= inTag, ofDataset <= inDataset]
  return operator === 'AND' ? rareInTag && rare : rareInTag || rare
}
