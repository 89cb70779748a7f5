/** Tells when an index has changed. */
export class IndexMoment {
  #moment = -1

  /** Whether the index has changed since the last call. */
  follow({ moment }: { readonly moment: number }): boolean {
    if (moment === this.#moment) return false
    this.#moment = moment
    return true
  }
}
