import type { ImpactParameters } from './bm25f.ts'
import { rescored } from './impacts.ts'
import { mergeSegments } from './merge.ts'
import { type SegmentBlocks, WholeSegment } from './segment.ts'

/** A segment to work on. */
export interface SegmentData extends SegmentBlocks {
  readonly key: number
  /** By document: 1 if it was removed when the task was planned; and the number of these. */
  readonly dead: Uint32Array | undefined
  readonly removed: number
}

/** Work on immutable segments that may run on any thread while the index continues. */
export type CompactionTask =
  | {
      readonly kind: 'merge'
      /** The index's plan that this belongs to. */
      readonly plan: number
      readonly pin: number
      readonly segments: readonly SegmentData[]
      /** Pairs of a family and its older base, by family. */
      readonly lateFamilies: Uint32Array
    }
  | {
      readonly kind: 'rescore'
      readonly plan: number
      readonly pin: number
      readonly documents: number
      readonly scoring: ImpactParameters
      readonly segments: readonly SegmentData[]
    }

export type CompactedSegments =
  | (SegmentBlocks & {
      readonly kind: 'merge'
      readonly plan: number
      readonly pin: number
      readonly replaced: readonly { readonly key: number; readonly removed: number }[]
    })
  | {
      readonly kind: 'rescore'
      readonly plan: number
      readonly pin: number
      readonly documents: number
      readonly averages: readonly number[]
      readonly scores: readonly { readonly key: number; readonly scores: Uint8Array }[]
    }

/** Runs a task. Has no side effects; pass the result to `FulltextIndex.adopt`. */
export function compact(task: CompactionTask): CompactedSegments {
  return task.kind === 'merge' ? merged(task) : scoredAnew(task)
}

function merged(task: CompactionTask & { kind: 'merge' }): CompactedSegments {
  const inputs = task.segments.map(data => ({ segment: WholeSegment.of(data), dead: data.dead }))
  const bases = new Map<number, number>()
  const { lateFamilies } = task
  for (let i = 0; i < lateFamilies.length; i += 2) bases.set(lateFamilies[i]!, lateFamilies[i + 1]!)
  const { blocks } = mergeSegments(inputs, term => bases.get(term) ?? -1)
  const replaced = task.segments.map(({ key, removed }) => ({ key, removed }))
  return {
    kind: 'merge',
    plan: task.plan,
    pin: task.pin,
    replaced,
    ...blocks,
  }
}

function scoredAnew(task: CompactionTask & { kind: 'rescore' }): CompactedSegments {
  const { plan, pin, documents, scoring, segments } = task
  const scores = segments.map(data => ({
    key: data.key,
    scores: rescored(WholeSegment.of(data), scoring).scores,
  }))
  return { kind: 'rescore', plan, pin, documents, averages: scoring.averages, scores }
}
