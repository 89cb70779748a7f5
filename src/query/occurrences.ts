import { any, every, everything, not, type Query } from './query.ts'

/** A clause of a query, with what connects it to the others. */
export interface Clause {
  readonly query: Query
  /** The operator before it; undefined for nothing but a space. */
  readonly join: 'and' | 'or' | undefined
  /** Whether a plus stands before it. */
  readonly required: boolean
  /** Whether `-`, `!` or `NOT` stands before it. */
  readonly negated: boolean
}

/** Clauses joined by AND, which count as one clause among others. */
interface Chain {
  readonly clauses: Clause[]
  readonly join: Clause['join']
}

/**
 * Combines clauses. NOT binds closest, then AND, then OR. Clauses with only a space between them are joined by the default
 * operator. Where that is `or`, a plus makes a clause required and a minus forbids it; beside required clauses, the others
 * only count in the ranking. A clause next to OR is joined by it, negated or not.
 */
export function joined(clauses: readonly Clause[], operator: 'and' | 'or'): Query {
  const chains = chainsOf(clauses, operator)
  if (operator === 'and') return any(chains.map(whole))
  const needed: Query[] = []
  const wanted: Query[] = []
  let hasRequired = false
  for (const [i, chain] of chains.entries()) {
    const [clause, ...more] = chain.clauses
    const besideOr = chain.join === 'or' || chains[i + 1]?.join === 'or'
    const { required, negated } = clause!
    if (more.length > 0 || !(required || (negated && !besideOr))) wanted.push(whole(chain))
    else needed.push(signed(clause!))
    if (more.length === 0 && required) hasRequired = true
  }
  if (wanted.length === 0) return every(needed)
  return every([...needed, any(hasRequired ? [...wanted, everything] : wanted)])
}

function chainsOf(clauses: readonly Clause[], operator: 'and' | 'or'): Chain[] {
  const chains: Chain[] = []
  for (const clause of clauses) {
    const chain = chains.at(-1)
    if (chain && (clause.join ?? operator) === 'and') chain.clauses.push(clause)
    else chains.push({ clauses: [clause], join: clause.join })
  }
  return chains
}

const whole = ({ clauses }: Chain): Query => every(clauses.map(signed))

const signed = ({ query, negated }: Clause): Query => (negated ? not(query) : query)
