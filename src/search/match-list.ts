import type { IndexState } from '../filters/filter.ts'
import type { MatchVisitor } from '../fulltext/ranking/match-visitor.ts'
import { LEAST_SCORE } from '../fulltext/ranking/match-visitor.ts'
import type { Selection } from '../fulltext/ranking/selection.ts'
import { isSet } from '../fulltext/set-bits.ts'

/** The documents of one moment, numbered through all segments, with their scores where they have some. */
export interface MatchList {
  readonly segments: IndexState['segments']
  readonly documents: Uint32Array
  readonly scores: ReadonlyMap<number, number> | undefined
}

/** All that may be found. */
export function selectedDocuments(
  segments: IndexState['segments'],
  selection: Selection | undefined,
): Uint32Array {
  const size = selection?.size ?? segments.reduce((sum, live) => sum + live.size, 0)
  const documents = new Uint32Array(size)
  let at = 0
  for (const [place, { segment, dead }] of segments.entries()) {
    const hidden = selection ? selection.hidden[place] : dead
    const base = place * 65_536
    for (let document = 0; document < segment.shape.documents; document++)
      if (!isSet(hidden, document)) documents[at++] = base + document
  }
  return documents
}

/** By document its score. */
export class Scores implements MatchVisitor {
  readonly threshold = LEAST_SCORE
  readonly byDocument = new Map<number, number>()

  offer(score: number, document: number): void {
    this.byDocument.set(document, score)
  }
}

export const idAt = (segments: IndexState['segments'], document: number): string =>
  segments[document >>> 16]!.segment.id(document & 0xffff)
