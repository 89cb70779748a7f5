import type { Target } from './target.ts'

/** The dataset of the sample catalogue. */
export const sample = 'demo'

/** Something that a hostile caller tries. */
export interface Attack {
  /** What is tried, in a few words. */
  readonly name: string
  /** Throws when it gets what it must not get. How long others wait meanwhile is measured from outside. */
  run(target: Target): Promise<void>
}
