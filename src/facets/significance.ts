/** Documents in a set and among all, and how many of each have something. */
export interface Occurrences {
  /** Documents of the set that have it. */
  readonly inSet: number
  readonly inAll: number
  /** How many documents are in the set, all of which are among `all`. */
  readonly set: number
  readonly all: number
}

/**
 * How much more frequent something is in a set than among all documents: the root of the log-likelihood ratio of presence and
 * membership, 0 where it is not more frequent (Dunning 1993, "Accurate Methods for the Statistics of Surprise and Coincidence").
 * The root makes the scores of several sets comparable, so that they can be added.
 */
export function significance({ inSet, inAll, set, all }: Occurrences): number {
  if (inSet * all <= set * inAll) return 0
  const cells =
    entropy(inSet) + entropy(set - inSet) + entropy(inAll - inSet) + entropy(all - set - inAll + inSet)
  const margins = entropy(set) + entropy(all - set) + entropy(inAll) + entropy(all - inAll)
  return Math.sqrt(Math.max(0, 2 * (cells - margins + entropy(all))))
}

const entropy = (count: number): number => (count > 0 ? count * Math.log(count) : 0)
