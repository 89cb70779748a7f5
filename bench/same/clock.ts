/** A clock that stands still while a call is under way, so that all times in answers are the same in every run. */
export class Clock {
  now = Date.UTC(2026, 4, 1, 12)

  tick(): void {
    this.now += 1
  }

  /** So long that wrong keys are forgotten, and the next ten are answered at once. */
  pass(): void {
    this.now += 15 * 60_000
  }
}
