/** The best `k` of the documents offered: higher score first, the earlier document first among equals. */
export class TopK {
  /** A document that comes after all others so far needs more than this score; 0 while there is room. */
  threshold = 0
  #size = 0
  readonly #scores: Int32Array
  readonly #documents: Float64Array

  constructor(readonly k: number) {
    this.#scores = new Int32Array(k)
    this.#documents = new Float64Array(k)
  }

  offer(score: number, document: number): void {
    if (this.#size < this.k) {
      this.#rise(this.#size++, score, document)
      if (this.#size === this.k) this.threshold = this.#scores[0]!
    } else if (this.#isWorse(0, score, document)) {
      this.#sink(score, document)
      this.threshold = this.#scores[0]!
    }
  }

  /** Best first. */
  ranking(): { score: number; document: number }[] {
    const ranking = Array.from({ length: this.#size }, (_, i) => ({
      score: this.#scores[i]!,
      document: this.#documents[i]!,
    }))
    return ranking.sort((a, b) => b.score - a.score || a.document - b.document)
  }

  #isWorse(place: number, score: number, document: number): boolean {
    const own = this.#scores[place]!
    return own < score || (own === score && this.#documents[place]! > document)
  }

  // A binary heap with the worst at its root.
  #rise(place: number, score: number, document: number): void {
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (this.#isWorse(parent, score, document)) break
      this.#move(parent, place)
      place = parent
    }
    this.#scores[place] = score
    this.#documents[place] = document
  }

  #sink(score: number, document: number): void {
    let place = 0
    for (let child = 1; child < this.#size; child = 2 * place + 1) {
      const other = child + 1
      if (other < this.#size && this.#isWorse(other, this.#scores[child]!, this.#documents[child]!))
        child = other
      if (!this.#isWorse(child, score, document)) break
      this.#move(child, place)
      place = child
    }
    this.#scores[place] = score
    this.#documents[place] = document
  }

  #move(from: number, to: number): void {
    this.#scores[to] = this.#scores[from]!
    this.#documents[to] = this.#documents[from]!
  }
}
