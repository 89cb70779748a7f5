import type { Contestant } from './contestant.ts'
import { flexsearch, flexsearchForward, flexsearchTolerant } from './peers/flexsearch.ts'
import { fts5 } from './peers/fts5.ts'
import { lunrPeer } from './peers/lunr.ts'
import { minisearch, minisearchCareful } from './peers/minisearch.ts'
import { orama } from './peers/orama.ts'

/** Those that run in a Node process; Xapian runs in one of its own. */
export const searchPeers: readonly Contestant[] = [
  minisearch,
  flexsearch,
  flexsearchForward,
  orama,
  lunrPeer,
  fts5,
]

export const relevancePeers: readonly Contestant[] = [
  minisearch,
  minisearchCareful,
  flexsearch,
  flexsearchTolerant,
  orama,
  lunrPeer,
  fts5,
]
