/** The distinct numbers of a column, by ordinal, ascending. */
export class SortedNumbers {
  readonly values: Float64Array

  constructor(values: Float64Array) {
    this.values = values
  }

  get count(): number {
    return this.values.length
  }

  /** The first ordinal whose number is not less than this one; `count` if all are less. */
  lowerBound(number: number): number {
    return this.#firstAbove(value => value >= number)
  }

  /** The first ordinal whose number is greater; `count` if none is. */
  upperBound(number: number): number {
    return this.#firstAbove(value => value > number)
  }

  #firstAbove(isAbove: (value: number) => boolean): number {
    let low = 0
    let high = this.values.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isAbove(this.values[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** The distinct numbers and, by place, the ordinal of each number. */
export function rankNumbers(values: Float64Array | Uint8Array): {
  numbers: SortedNumbers
  ordinals: Uint16Array | Uint32Array
} {
  const sorted = Float64Array.from(values).sort()
  let count = 0
  for (let i = 0; i < sorted.length; i++)
    if (i === 0 || sorted[i] !== sorted[count - 1]) sorted[count++] = sorted[i]!
  const numbers = new SortedNumbers(sorted.slice(0, count))
  const ordinals = count > 65_536 ? new Uint32Array(values.length) : new Uint16Array(values.length)
  for (let place = 0; place < values.length; place++)
    ordinals[place] = placeIn(numbers.values, values[place]!)
  return { numbers, ordinals }
}

function placeIn(ascending: Float64Array, value: number): number {
  let low = 0
  let high = ascending.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
