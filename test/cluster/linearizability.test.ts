import { describe, expect, it } from 'vitest'
import { madeHistory } from './atomic-documents.ts'
import type { Call, Found, HistoryEvent, Outcome, Rule } from './history.ts'
import { linearizabilityViolations } from './linearizability.ts'
import { violationsIn } from './violations.ts'

const HISTORIES = 1000

interface Line {
  readonly call: Call
  readonly from: number
  readonly to: number
  readonly outcome: Outcome
  readonly node?: string
  readonly document?: string
}

const written = (lines: readonly Line[]): HistoryEvent[] =>
  lines.map(({ call, from, to, outcome, node = 'one', document = 'd' }) => ({
    ...{ document, call, invoked: from, answered: to, outcome, node },
  }))

const insert = (text: string): Call => ({ type: 'insert', text })
const upsert = (text: string, ifSeq?: number): Call => ({ type: 'upsert', text, ifSeq })
const update = (text: string, ifSeq?: number): Call => ({ type: 'update', text, ifSeq })
const remove: Call = { type: 'delete' }
const latest: Call = { type: 'latest' }
const read = (position = 0): Call => ({ type: 'read', position })
/** The change at a position has the number that is a hundred times it. */
const ok = (position: number): Outcome => ({ type: 'ok', position, seq: 100 * position })
const nothing = (position: number): Outcome => ({ type: 'ok', position, seq: null })
const refused = (code: string): Outcome => ({ type: 'refused', code })
const found = (content: string, position: number, note: string | null = null): Outcome => ({
  type: 'found',
  found: { content, note, seq: 100 * position } satisfies Found,
})
const absent: Outcome = { type: 'found', found: null }
const unknown: Outcome = { type: 'unknown' }
const never = Number.POSITIVE_INFINITY

const one = (call: Call, from: number, outcome: Outcome, more: Partial<Line> = {}): Line => ({
  ...{ call, from, to: from + 1, outcome },
  ...more,
})
const a = one(upsert('a'), 0, ok(1))
const b = one(upsert('b'), 10, ok(2))

const right: [what: string, history: Line[]][] = [
  [
    'a write that was not answered and is there',
    [a, one(upsert('x'), 5, unknown, { to: never }), one(latest, 20, found('x', 2))],
  ],
  [
    'a write that was not answered and is not there',
    [a, one(upsert('x'), 5, unknown, { to: never }), one(latest, 20, found('a', 1))],
  ],
  [
    'a write that takes effect long after its client gave up',
    [
      a,
      one(upsert('x'), 5, unknown, { to: never }),
      one(latest, 20, found('a', 1)),
      one(latest, 30, found('x', 2)),
    ],
  ],
  [
    'two writes at once, in either order',
    [
      one(upsert('a'), 0, ok(2), { to: 9 }),
      one(upsert('b'), 1, ok(1), { to: 8 }),
      one(latest, 20, found('a', 2)),
    ],
  ],
  [
    'a read of the past that asked for none of the newer',
    [a, b, one(read(1), 20, found('a', 1), { node: 'two' })],
  ],
  [
    'a deletion of what was deleted',
    [a, one(remove, 10, ok(2)), one(remove, 20, nothing(3)), one(latest, 30, absent)],
  ],
  [
    'a read beside another that shows more',
    [
      a,
      one(upsert('b'), 10, ok(2), { node: 'two' }),
      one(read(), 20, found('b', 2), { to: 30 }),
      one(read(), 21, found('a', 1), { to: 29 }),
    ],
  ],
  [
    'an absence that was seen beside a newer read',
    [
      one(read(), 0, absent, { to: 40, node: 'two' }),
      one(upsert('a'), 5, ok(1)),
      one(read(), 10, found('a', 1), { node: 'two' }),
      one(read(), 50, found('a', 1), { node: 'two' }),
    ],
  ],
]

const broken: [what: string, rule: Rule, history: Line[]][] = [
  [
    'a read that misses its own write, whose position it asked for',
    'position',
    [a, b, one(read(2), 20, found('a', 1), { node: 'two' })],
  ],
  [
    'an absence where the position asked for has a document',
    'position',
    [a, one(read(1), 10, absent, { node: 'two' })],
  ],
  [
    'a document that the position asked for has deleted',
    'position',
    [a, one(remove, 10, ok(2)), one(read(2), 20, found('a', 1), { node: 'two' })],
  ],
  ['a read of the past of what nobody wrote', 'position', [a, one(read(), 10, found('b', 2))]],
  [
    'a read of the past of what was refused',
    'position',
    [a, one(insert('b'), 10, refused('DOCUMENT_EXISTS')), one(read(), 20, found('b', 2))],
  ],
  ['a read of the past from the future', 'position', [a, one(read(), 5, found('b', 2)), b]],
  [
    'a read of a right text with a number of another',
    'position',
    [a, b, one(read(), 20, found('a', 2), { node: 'two' })],
  ],
  ['an acknowledged write that is lost', 'linearizable', [a, b, one(latest, 20, found('a', 1))]],
  ['an acknowledged first write that is lost', 'linearizable', [a, one(latest, 10, absent)]],
  [
    'an acknowledged deletion that is lost',
    'linearizable',
    [a, one(remove, 10, ok(2)), one(latest, 20, found('a', 1))],
  ],
  [
    'a deleted document that comes back',
    'linearizable',
    [a, one(remove, 10, ok(2)), one(latest, 20, absent), one(latest, 30, found('a', 1))],
  ],
  [
    'latest reads that go back',
    'linearizable',
    [
      a,
      one(upsert('b'), 10, ok(2), { to: 50 }),
      one(latest, 20, found('b', 2)),
      one(latest, 30, found('a', 1)),
    ],
  ],
  [
    'latest reads that go back from what was not answered',
    'linearizable',
    [
      a,
      one(upsert('x'), 5, unknown, { to: never }),
      one(latest, 20, found('x', 2)),
      one(latest, 30, found('a', 1)),
    ],
  ],
  ['a latest read of the past', 'linearizable', [a, b, one(latest, 20, found('a', 1), { node: 'two' })]],
  ['a latest read of what was not yet asked for', 'linearizable', [a, one(latest, 5, found('b', 2)), b]],
  [
    'two writes on one number, both accepted',
    'linearizable',
    [a, one(upsert('b', 100), 10, ok(2), { to: 30 }), one(upsert('c', 100), 11, ok(3), { to: 29 })],
  ],
  ['a write on a number that is no more', 'linearizable', [a, b, one(update('n', 100), 20, ok(3))]],
  [
    'a write on the number that is, refused',
    'linearizable',
    [a, one(update('n', 100), 10, refused('SEQUENCE_MISMATCH'))],
  ],
  [
    'a write on the number of nothing where there is something',
    'linearizable',
    [a, one(upsert('b', 0), 10, ok(2))],
  ],
  [
    'a refused write that took effect',
    'linearizable',
    [a, one(upsert('b', 7), 10, refused('SEQUENCE_MISMATCH')), one(latest, 20, found('b', 2))],
  ],
  ['an insertion where there was a document', 'linearizable', [a, one(insert('b'), 10, ok(2))]],
  [
    'an insertion that was refused where there was none',
    'linearizable',
    [one(insert('a'), 0, refused('DOCUMENT_EXISTS'))],
  ],
  [
    'two insertions at once, both accepted',
    'linearizable',
    [one(insert('a'), 0, ok(1), { to: 9 }), one(insert('b'), 1, ok(2), { to: 8 })],
  ],
  ['an update of nothing', 'linearizable', [one(update('n'), 0, ok(1))]],
  [
    'an update refused for want of a document that is there',
    'linearizable',
    [a, one(update('n'), 10, refused('DOCUMENT_NOT_FOUND'))],
  ],
  [
    'an update that took the content back',
    'linearizable',
    [a, b, one(update('n'), 20, ok(3)), one(latest, 30, found('a', 3, 'n'))],
  ],
  [
    'a note that outlives its content',
    'linearizable',
    [a, one(update('n'), 10, ok(2)), one(upsert('c'), 20, ok(3)), one(latest, 30, found('c', 3, 'n'))],
  ],
  [
    'an insertion applied twice: done, then refused',
    'linearizable',
    [one(insert('a'), 0, refused('DOCUMENT_EXISTS')), one(latest, 10, found('a', 1))],
  ],
  [
    'a write applied twice, again after a later one',
    'linearizable',
    [a, b, one(latest, 20, found('b', 2)), one(latest, 30, found('a', 3))],
  ],
  [
    'a write without an answer applied twice',
    'linearizable',
    [
      a,
      one(upsert('x'), 5, unknown, { to: never }),
      one(latest, 10, found('x', 2)),
      one(upsert('c'), 20, ok(3)),
      one(latest, 30, found('c', 3)),
      one(latest, 40, found('x', 2)),
    ],
  ],
  ['a deletion that says there was nothing', 'linearizable', [a, one(remove, 10, nothing(2))]],
  ['a deletion of nothing that has a number', 'linearizable', [one(remove, 0, ok(1))]],
  [
    'writes whose order is not that of any register',
    'linearizable',
    [
      one(upsert('a'), 0, ok(1), { to: 9 }),
      one(upsert('b'), 1, ok(2), { to: 8 }),
      one(latest, 20, found('a', 1)),
      one(latest, 30, found('b', 2)),
      one(latest, 40, found('a', 1)),
    ],
  ],
  [
    'an earlier write with the greater number',
    'numbers',
    [one(upsert('a'), 0, ok(2)), one(upsert('b'), 10, ok(1))],
  ],
  [
    'an earlier write of another document with the greater number',
    'numbers',
    [one(upsert('a'), 0, ok(2)), one(upsert('b'), 10, ok(1), { document: 'e' })],
  ],
  [
    'a number given twice',
    'numbers',
    [one(upsert('a'), 0, ok(1), { to: 9 }), one(upsert('b'), 1, ok(1), { to: 8, document: 'e' })],
  ],
  [
    'a node that goes back',
    'node',
    [
      a,
      one(upsert('b'), 10, ok(2), { node: 'two' }),
      one(read(), 20, found('b', 2)),
      one(read(), 30, found('a', 1)),
    ],
  ],
  [
    'a node that goes back by another document',
    'node',
    [
      a,
      one(upsert('b'), 10, ok(2), { node: 'two' }),
      one(upsert('c'), 20, ok(3), { node: 'two', document: 'e' }),
      one(read(), 30, found('c', 3), { document: 'e' }),
      one(read(), 40, found('a', 1)),
    ],
  ],
  ['a node that misses what it acknowledged', 'node', [a, b, one(read(), 20, found('a', 1))]],
  [
    'a node that goes back from a deletion',
    'node',
    [a, one(remove, 10, ok(2), { node: 'two' }), one(read(), 20, absent), one(read(), 30, found('a', 1))],
  ],
  [
    'a node that loses what nobody has deleted',
    'node',
    [a, one(read(), 10, found('a', 1)), one(read(), 20, absent)],
  ],
  [
    'a node that goes back from its latest read',
    'node',
    [
      a,
      one(upsert('b'), 10, ok(2), { node: 'two' }),
      one(latest, 20, found('b', 2)),
      one(read(), 30, found('a', 1)),
    ],
  ],
]

describe('a history', () => {
  it('of an atomic map is accepted, however its calls interleave and whatever is not answered', () => {
    let lost = 0
    let refusals = 0
    for (let seed = 0; seed < HISTORIES; seed++) {
      const history = madeHistory(seed)
      lost += history.filter(({ outcome }) => outcome.type === 'unknown').length
      refusals += history.filter(({ outcome }) => outcome.type === 'refused').length
      expect({ seed, violations: violationsIn(history) }).toEqual({ seed, violations: [] })
    }
    expect(lost).toBeGreaterThan(HISTORIES)
    expect(refusals).toBeGreaterThan(HISTORIES)
  })

  it.each(right)('with %s is accepted', (_, history) => {
    expect(violationsIn(written(history))).toEqual([])
  })

  it.each(broken)('with %s is refused', (_, rule, history) => {
    expect(violationsIn(written(history)).map(violation => violation.rule)).toContain(rule)
  })

  it('of which something was changed is refused far more often than not', () => {
    let refusedOnes = 0
    let changed = 0
    for (let seed = 0; seed < 300; seed++) {
      const history = madeHistory(seed)
      const reads = history.flatMap(({ call, outcome }, i) =>
        call.type === 'latest' && outcome.type === 'found' && outcome.found ? [i] : [],
      )
      const at = reads.at(-1)
      if (at === undefined) continue
      changed++
      const was = history[at]!
      history[at] = { ...was, outcome: { type: 'found', found: null } }
      if (violationsIn(history).length > 0) refusedOnes++
    }
    expect(changed).toBeGreaterThan(200)
    expect(refusedOnes / changed).toBeGreaterThan(0.6)
  })

  it('that takes too long to explain is told apart from one that cannot be', () => {
    const history = written([
      ...Array.from({ length: 24 }, (_, i) => one(upsert(`x${i}`), i, unknown, { to: never })),
      one(latest, 100, found('x3', 1)),
      one(latest, 110, absent),
    ])
    expect(linearizabilityViolations(history, { states: 500 }).map(({ rule }) => rule)).toEqual(['undecided'])
  })
})
