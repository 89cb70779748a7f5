import { any, every, everything, not, type Query } from './query.ts'

/** A clause of a query as it stands between others. */
export interface Clause {
  readonly query: Query
  /** What stands before it; undefined for nothing but a space. */
  readonly join: 'and' | 'or' | undefined
  /** Whether a plus stands before it. */
  readonly required: boolean
  /** Whether `-`, `!` or `NOT` stands before it. */
  readonly negated: boolean
}

/** Clauses joined by AND, as one of several. */
interface Chain {
  readonly clauses: Clause[]
  readonly join: Clause['join']
}

/**
 * What clauses mean together. NOT binds closest, then AND, then OR. Those with nothing but a space between them are
 * joined by the operator; where that is `or`, a plus makes one required and a minus forbids it, and others then only
 * count in the ranking. What OR stands beside is joined by it, negated or not.
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
