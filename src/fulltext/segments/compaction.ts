import type { Scoring } from './bm25f.ts'
import { mergeSegments } from './merge.ts'
import { Segment, type SegmentShape } from './segment.ts'

/** A segment as plain data: structured cloning shares its memory instead of copying it. */
export interface SegmentData {
  readonly key: number
  readonly shape: SegmentShape
  readonly body: Uint8Array
  readonly scores: Uint8Array
  readonly forward: Uint8Array
  /** By document, 1 when it was gone when the task was planned, and how many were. */
  readonly dead: Uint8Array | undefined
  readonly removed: number
}

/** Work on immutable segments that may run on any thread while the index goes on. */
export type CompactionTask =
  | {
      readonly kind: 'merge'
      /** Which plan of its index this is. */
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
      readonly scoring: Scoring
      readonly segments: readonly SegmentData[]
    }

export type CompactedSegments =
  | {
      readonly kind: 'merge'
      readonly plan: number
      readonly pin: number
      readonly replaced: readonly { readonly key: number; readonly removed: number }[]
      readonly shape: SegmentShape
      readonly body: Uint8Array
      readonly scores: Uint8Array
      readonly forward: Uint8Array
    }
  | {
      readonly kind: 'rescore'
      readonly plan: number
      readonly pin: number
      readonly documents: number
      readonly averages: readonly number[]
      readonly scores: readonly { readonly key: number; readonly scores: Uint8Array }[]
    }

/** Does the work of a task: pure, its result is for `FulltextIndex.adopt`. */
export function compact(task: CompactionTask): CompactedSegments {
  return task.kind === 'merge' ? merged(task) : rescored(task)
}

function merged(task: CompactionTask & { kind: 'merge' }): CompactedSegments {
  const inputs = task.segments.map(data => ({ segment: opened(data), dead: data.dead }))
  const { shape, body, scores, forward } = mergeSegments(inputs, task.lateFamilies)
  const replaced = task.segments.map(({ key, removed }) => ({ key, removed }))
  return {
    kind: 'merge',
    plan: task.plan,
    pin: task.pin,
    replaced,
    shape,
    body,
    scores,
    forward: forward!.bytes,
  }
}

function rescored(task: CompactionTask & { kind: 'rescore' }): CompactedSegments {
  const { plan, pin, documents, scoring, segments } = task
  const scores = segments.map(data => ({ key: data.key, scores: opened(data).scored(scoring).scores }))
  return { kind: 'rescore', plan, pin, documents, averages: scoring.averages, scores }
}

function opened({ shape, body, scores, forward }: SegmentData): Segment {
  return new Segment(shape, body, scores, forward)
}
