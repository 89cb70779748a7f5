export function numbers(seed: number): (below: number) => number
