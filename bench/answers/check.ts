/** What a shopper types, and what would be accepted for it. */
export interface Check {
  readonly collection: CollectionName
  readonly query: string
  /** Asked while the last word is being typed. */
  readonly typing: boolean
  readonly accepted: Accepted
}

export type CollectionName = 'esci-us-small' | 'pricerunner' | 'sample' | 'scripts' | 'german'

export type Accepted =
  /** So many of the first titles match all patterns, and no text among them has what must not be there. */
  | {
      readonly kind: 'titles'
      readonly patterns: readonly RegExp[]
      readonly atLeast: number
      readonly among: number
      readonly without?: RegExp
    }
  /** The same ten documents as for another spelling, in whatever order, and not none. */
  | { readonly kind: 'same'; readonly as: string }
  | { readonly kind: 'nothing' }

/** Titles and texts are lower-cased and in Unicode's form NFC before a pattern is matched. */
type Patterns = RegExp | readonly RegExp[]

type Share = `${number} of ${number}`

/** Writes checks of one collection down: `sample('sleping bag', '8 of 10', /sleeping bag/)`. */
interface Asking {
  (query: string, share: Share, titles: Patterns, without?: RegExp): Check
  typing(query: string, share: Share, titles: Patterns): Check
  same(query: string, as: string): Check
  nothing(query: string): Check
}

function asking(collection: CollectionName): Asking {
  const check = (query: string, accepted: Accepted, typing = false): Check => ({
    collection,
    query,
    typing,
    accepted,
  })
  const titles = (share: Share, patterns: Patterns, without?: RegExp): Accepted => {
    const [atLeast, among] = share.split(' of ').map(Number) as [number, number]
    const all = patterns instanceof RegExp ? [patterns] : patterns
    return { kind: 'titles', patterns: all, atLeast, among, ...(without ? { without } : {}) }
  }
  return Object.assign(
    (query: string, share: Share, patterns: Patterns, without?: RegExp) =>
      check(query, titles(share, patterns, without)),
    {
      typing: (query: string, share: Share, patterns: Patterns) =>
        check(query, titles(share, patterns), true),
      same: (query: string, as: string) => check(query, { kind: 'same', as }),
      nothing: (query: string) => check(query, { kind: 'nothing' }),
    },
  )
}

export const esci = asking('esci-us-small')
export const pricerunner = asking('pricerunner')
export const sample = asking('sample')
export const scripts = asking('scripts')
export const german = asking('german')

/** What can be read of a document that was found. */
export interface Shown {
  readonly id: string
  readonly title: string
  readonly desc: string
}

export const readable = (text: string): string => text.normalize('NFC').toLowerCase()

export const matches = ({ title }: Pick<Shown, 'title'>, patterns: readonly RegExp[]): boolean =>
  patterns.every(pattern => pattern.test(readable(title)))

/** Whether a shopper would accept these hits; `others` are those of the other spelling. */
export function isAccepted(accepted: Accepted, hits: readonly Shown[], others: readonly Shown[]): boolean {
  switch (accepted.kind) {
    case 'nothing':
      return hits.length === 0
    case 'same': {
      const ids = new Set(hits.map(({ id }) => id))
      return ids.size > 0 && ids.size === others.length && others.every(({ id }) => ids.has(id))
    }
    case 'titles': {
      const { patterns, atLeast, among, without } = accepted
      const first = hits.slice(0, among)
      if (without && first.some(({ title, desc }) => without.test(readable(`${title} ${desc}`)))) return false
      return first.filter(hit => matches(hit, patterns)).length >= atLeast
    }
  }
}
