const mostRemembered = 10_000

/** The latest 10,000 guesses that a costly check has refused, by their HMAC. */
export class WrongGuesses {
  /** Ordered by when they last came. */
  readonly #proofs = new Set<string>()

  has(proof: string): boolean {
    if (!this.#proofs.has(proof)) return false
    this.add(proof)
    return true
  }

  add(proof: string): void {
    this.#proofs.delete(proof)
    this.#proofs.add(proof)
    if (this.#proofs.size > mostRemembered) this.#forgetOldest()
  }

  #forgetOldest(): void {
    for (const proof of this.#proofs) {
      this.#proofs.delete(proof)
      return
    }
  }
}
