import type { HistoryEvent, Violation } from './history.ts'
import { linearizabilityViolations } from './linearizability.ts'
import { numberViolations, readViolations } from './read-rules.ts'

/** Everything in a history that a cluster has promised not to do. */
export const violationsIn = (history: readonly HistoryEvent[]): Violation[] => [
  ...linearizabilityViolations(history),
  ...numberViolations(history),
  ...readViolations(history),
]
