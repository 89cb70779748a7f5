/** For tests of all but this cost itself: a secret is tried in a millisecond. */
export const hashCost = { cost: 2 ** 10, blockSize: 8, parallelization: 1 }
