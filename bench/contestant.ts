/** What every contestant indexes: the fields `title` and `desc`; further members are payload. */
export type Indexable = { id: string; title: string; desc: string }

/**
 * The ways of asking: one word; any of the words; all of them; neighbours in their order within a field; any, one
 * of them misspelt; all, the last of them a beginning; any, with the title weighted by the request.
 */
export const queryKinds = ['term', 'or', 'and', 'phrase', 'typo', 'prefix', 'boosts'] as const
export type QueryKind = (typeof queryKinds)[number]

export interface Ask {
  readonly kind: QueryKind
  /** Words and nothing else: marks of a query language are the contestant's to add. */
  readonly text: string
  /** Whole documents in the answer, or ids and scores only. */
  readonly documents: boolean
}

/** How much the title counts in queries of the kind `boosts`; it is another weight than all indexes have. */
export const requestedTitleWeight = 5

export interface Answer {
  readonly id: string
  readonly score?: number
  readonly document?: object
}

/** Ten answers to a query: the question everybody is asked. Relevance asks for eleven, one may be taken out. */
export const answers = 10

export interface Index {
  add(documents: readonly Indexable[]): Promise<void> | void
  /** Without it documents cannot be taken out, nor put in after the first search. */
  remove?(ids: readonly string[]): Promise<void> | void
  search(ask: Ask): Promise<Answer[]> | Answer[]
  /** Resolves once what it does in the background is done; without it there is no such thing. */
  rested?(): Promise<void>
  /** Bytes of its typed arrays by its own count, where threads share them and Node does not see all. */
  buffers?(): number
  /** Puts on disk what the next process needs to answer; without it every `add` has done so, or nothing can. */
  save?(): Promise<void>
  close(): Promise<void>
}

/** Whether this is the engine of this repository, in one of its forms. */
export const isOurs = (name: string): boolean => name.startsWith('findling')

/** A library with the settings it runs under. */
export interface Contestant {
  readonly name: string
  /** Settings and their reason, for the notes under a table. */
  readonly settings: string
  /** What it can be asked. */
  readonly kinds: readonly QueryKind[]
  readonly typoTolerance: 'always' | 'asked' | 'never'
  /** Where documents are: in memory on request, always in memory, on disk, nowhere. */
  readonly documents: 'asked' | 'memory' | 'disk' | 'never'
  /** Native code keeps its memory where Node cannot count it. */
  readonly native?: boolean
  /** More documents than this it is not asked to hold, where its memory or its patience ends. */
  readonly mostDocuments?: number
  /** Why it cannot take part here and how it could; undefined when it can. Without it, it always can. */
  missing?(): Promise<string | undefined>
  open(folder: string, options: OpenOptions): Promise<Index>
  /** How it starts from what was saved, where it can. */
  readonly reopening?: Reopening
}

export interface Reopening {
  readonly how: string
  open(folder: string, options: OpenOptions): Promise<Index>
}

export interface OpenOptions {
  /** Keep whole documents to answer with; makes no difference to contestants that always do. */
  readonly documents: boolean
  readonly language: 'english' | 'none'
  readonly limit: number
}

/** The words of a text as most of the contestants see them: lower case, letters and digits. */
export const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
