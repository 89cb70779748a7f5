/** What every contestant indexes: the fields `title` and `desc`; further members are payload. */
export type Indexable = { id: string; title: string; desc: string }

export interface Ask {
  readonly operator: 'or' | 'and'
  /** For contestants that tolerate typos on request. */
  readonly typos: boolean
  /** Whole documents in the answer, or ids and scores only. */
  readonly documents: boolean
}

export interface Answer {
  readonly id: string
  readonly score?: number
  readonly document?: object
}

/** Ten answers to a query: the question everybody is asked. Relevance asks for eleven, one may be taken out. */
export const answers = 10

export interface Index {
  add(documents: readonly Indexable[]): Promise<void> | void
  search(query: string, ask: Ask): Promise<Answer[]> | Answer[]
  /** Puts on disk what the next process needs to answer; a no-op where every `add` has done so. */
  save(): Promise<void>
  close(): Promise<void>
}

/** A library with the settings it runs under. */
export interface Contestant {
  readonly name: string
  /** Settings and their reason, for the notes under a table. */
  readonly settings: string
  readonly typoTolerance: 'always' | 'asked' | 'never'
  /** Whether documents are in its memory: on request, always, or on disk. */
  readonly documents: 'asked' | 'always' | 'disk'
  /** More documents than this it is not asked to hold, where its memory forbids. */
  readonly mostDocuments?: number
  /** How it starts from what was saved. */
  readonly reopening: string
  open(folder: string, options: OpenOptions): Promise<Index>
  reopen(folder: string, options: OpenOptions): Promise<Index>
}

export interface OpenOptions {
  /** Keep whole documents to answer with; makes no difference to contestants that always do. */
  readonly documents: boolean
  readonly language: 'english' | 'none'
  readonly limit: number
}
