import type { Listing, Matching } from './matching.ts'
import { pick, random } from './random.ts'

/** A document whose brand and model number stand in fields of their own, beside fields that say little. */
export interface SplitListing {
  readonly title: string
  /** Undefined where it has none. */
  readonly others: readonly (string | undefined)[]
}

/** How the documents of a set are written. */
export const splitForms = ['joined', 'split', 'half split', 'split, beside fields that say little'] as const
export type SplitForm = (typeof splitForms)[number]

/** As often at least titles begin with a word that is taken for a brand. */
const LEAST_TITLES = 3
const SHORTEST_MODEL = 4
const SEED = 29

/** Every document as this form writes it. What is split off depends on the set and the seed alone. */
export function splitListings(
  { stored, asked, isOneCatalogue }: Matching,
  form: SplitForm,
): Map<string, SplitListing> {
  const all = isOneCatalogue ? stored : [...stored, ...asked]
  const begins = new Map<string, number>()
  for (const { title } of all) {
    const [first] = wordsOf(title)
    if (first !== undefined) begins.set(first.toLowerCase(), (begins.get(first.toLowerCase()) ?? 0) + 1)
  }
  const next = random(SEED)
  return new Map(
    all.map(listing => {
      const isSplit = form !== 'joined' && (form !== 'half split' || next() < 0.5)
      const { title, brand, model } = isSplit
        ? apart(listing, first => (begins.get(first.toLowerCase()) ?? 0) >= LEAST_TITLES)
        : { title: listing.title, brand: undefined, model: undefined }
      const others =
        form === 'split, beside fields that say little'
          ? [
              'in stock',
              pick(next, ['new', 'used', 'refurbished']),
              pick(next, ['delivery in 2 days', 'delivery in 5 days']),
            ]
          : []
      return [listing.id, { title, others: [brand, model, ...others, listing.desc] }]
    }),
  )
}

function apart({ title }: Listing, isBrand: (first: string) => boolean) {
  const words = wordsOf(title)
  const [first] = words
  const hasBrand = words.length > 1 && first !== undefined && isBrand(first)
  const brand = hasBrand ? first : undefined
  const rest = hasBrand ? words.slice(1) : words
  const models = rest.filter(isModel).sort((a, b) => b.length - a.length)
  const model = rest.length > 1 ? models[0] : undefined
  return { title: rest.filter(word => word !== model).join(' '), brand, model }
}

/** Letters and digits, but not a number with its unit, as `64gb`. */
function isModel(word: string): boolean {
  const core = word.replace(/[^A-Za-z0-9]/g, '')
  if (core.length < SHORTEST_MODEL || !/[0-9]/.test(core)) return false
  return /^[0-9]{5,}$/.test(core) || (/[A-Za-z]/.test(core) && !/^[0-9]+[A-Za-z]{1,4}$/.test(core))
}

const wordsOf = (text: string): string[] => text.split(' ').filter(Boolean)
