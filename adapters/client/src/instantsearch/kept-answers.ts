interface Kept<Answer> {
  readonly answer: Promise<Answer>
  readonly since: number
}

/** The most recently used answers by their questions, for a limited time; a question that is in flight is not asked again. */
export class KeptAnswers<Answer> {
  readonly #most: number
  readonly #maxAge: number
  /** The most recently used come last. */
  readonly #kept = new Map<string, Kept<Answer>>()

  constructor(most: number, maxAge: number) {
    this.#most = most
    this.#maxAge = maxAge
  }

  clear(): void {
    this.#kept.clear()
  }

  /** The answers to questions, in their order; `ask` is called once for all that are not cached. */
  async of<Question>(
    questions: readonly Question[],
    ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  ): Promise<Answer[]> {
    const keys = questions.map(question => JSON.stringify(question))
    const now = Date.now()
    const missing = new Map<string, Question>()
    const found = new Map<string, Promise<Answer>>()
    for (const [i, key] of keys.entries()) {
      const kept = this.#kept.get(key)
      const age = now - (kept?.since ?? 0)
      // Below 0, the clock was put back: how old the answer is, nobody knows.
      if (kept && age >= 0 && age < this.#maxAge) {
        this.#keep(key, kept)
        found.set(key, kept.answer)
      } else missing.set(key, questions[i]!)
    }
    if (missing.size > 0) {
      const asked = ask([...missing.values()])
      for (const [i, key] of [...missing.keys()].entries()) {
        const answer = asked.then(answers => answers[i]!)
        answer.catch(() => this.#kept.delete(key))
        this.#keep(key, { answer, since: now })
        found.set(key, answer)
      }
    }
    return await Promise.all(keys.map(key => found.get(key)!))
  }

  #keep(key: string, kept: Kept<Answer>): void {
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    if (this.#kept.size <= this.#most) return
    const [oldest] = this.#kept.keys()
    this.#kept.delete(oldest!)
  }
}
