/** Which rare features to drop. */
export interface Compression {
  /** Maximum number of occurrences within a tag. */
  readonly inTag: number
  /** Maximum number of occurrences in all documents. */
  readonly inDataset: number
  /** Whether both limits must hold, or one of them. */
  readonly operator: 'AND' | 'OR'
}

/** Ready-made ones: nothing is left out; what occurs once; what occurs at most twice in each tag. */
export const compressionLevels: readonly Compression[] = [
  { inTag: 0, inDataset: 0, operator: 'AND' },
  { inTag: 1, inDataset: 1, operator: 'AND' },
  { inTag: 2, inDataset: 100_000, operator: 'AND' },
]

/** With a limit of zero nothing is left out. */
export function leavesOut({ inTag, inDataset }: Compression): boolean {
  return inTag > 0 && inDataset > 0
}

/** Whether a feature is left out that occurs so often. */
export function isLeftOut(
  { inTag, inDataset, operator }: Compression,
  ofTag: number,
  ofDataset: number,
): boolean {
  const [rareInTag, rare] = [ofTag <= inTag, ofDataset <= inDataset]
  return operator === 'AND' ? rareInTag && rare : rareInTag || rare
}
