/** An order of the sample: which products of the catalogue were bought together, and when. */
export interface SampleOrder {
  readonly id: string
  /** As an ISO date. */
  readonly at: string
  readonly lines: readonly { readonly product: string; readonly pieces: number }[]
}

export interface OrderedProduct {
  readonly id: string
  readonly brand?: string
  readonly tag?: readonly string[]
  readonly popularity?: number
}

const ORDERS = 3000
const DAY = 86_400_000
/** The oldest orders. */
const DAYS = 90
/** Products of these are bought more in the last days. */
const RISING_DAYS = 10
const COMPANION = 0.5
const CHANCE = 0.2

/**
 * Made-up orders of the catalogue: popular products are bought more, half of all orders also have the companion of the product,
 * which is always the same one, and the products of every tenth tag are bought more of late. The same products give the same orders.
 * @param now milliseconds since 1970
 */
export function sampleOrders(products: readonly OrderedProduct[], now: number): SampleOrder[] {
  const chance = chances()
  const tags = [...new Set(products.flatMap(({ tag = [] }) => tag))].sort()
  const rising = new Set(tags.filter((_, i) => i % 10 === 0))
  const isRising = ({ tag = [] }: OrderedProduct) => tag.some(one => rising.has(one))
  const byPopularity = cumulated(products.map(({ popularity = 0 }) => 0.001 + popularity))
  const late = products.filter(isRising)
  const byBrand = new Map<string | undefined, OrderedProduct[]>()
  for (const product of products) {
    const own = byBrand.get(product.brand)
    if (own) own.push(product)
    else byBrand.set(product.brand, [product])
  }
  const orders: SampleOrder[] = []
  for (let number = 0; number < ORDERS; number++) {
    const age = chance() * DAYS
    const isLate = age < RISING_DAYS && late.length > 0 && chance() < 0.5
    const first = isLate
      ? late[Math.floor(chance() * late.length)]!
      : products[placeOf(chance() * byPopularity.at(-1)!, byPopularity)]!
    const bought = new Set([first.id])
    if (chance() < COMPANION) bought.add(companionOf(first, byBrand.get(first.brand)!).id)
    if (chance() < CHANCE) bought.add(products[Math.floor(chance() * products.length)]!.id)
    orders.push({
      id: `o-${number}`,
      at: new Date(now - age * DAY).toISOString(),
      lines: [...bought].map(product => ({ product, pieces: chance() < 0.9 ? 1 : 2 })),
    })
  }
  return orders
}

/** The next product of the brand that is something else, if there is one. */
function companionOf(product: OrderedProduct, ofBrand: readonly OrderedProduct[]): OrderedProduct {
  const place = ofBrand.indexOf(product)
  const others = [...ofBrand.slice(place + 1), ...ofBrand.slice(0, place)]
  return others.find(({ tag = [] }) => tag[0] !== product.tag?.[0]) ?? others[0] ?? product
}

function cumulated(weights: readonly number[]): number[] {
  let sum = 0
  return weights.map(weight => (sum += weight))
}

function placeOf(value: number, sums: readonly number[]): number {
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (sums[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Numbers from 0 to 1, the same at each start: a linear congruential generator (Numerical Recipes, section 7.1). */
function chances(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
