export type FieldName = 'Email' | 'Accepted' | 'Secret' | 'SecretConfirm' | 'LicenseKey'

export interface Problem {
  /** Absent if it concerns the whole form. */
  readonly field?: FieldName
  readonly message: string
}

/** Messages shown on the page after a post, and the typed values to show again. */
export interface Notice {
  readonly problems: readonly Problem[]
  readonly email?: string
  readonly licenseKey?: string
}

const mostSessions = 50

/** Keeps the notice of a post until its session reloads the page, for the latest 50 sessions. */
export class Notices {
  readonly #notices = new Map<string, Notice>()

  leave(session: string, notice: Notice): void {
    this.#notices.delete(session)
    this.#notices.set(session, notice)
    for (const oldest of this.#notices.keys()) {
      if (this.#notices.size <= mostSessions) return
      this.#notices.delete(oldest)
    }
  }

  /** Returns and removes the notice. */
  take(session: string): Notice | undefined {
    const notice = this.#notices.get(session)
    this.#notices.delete(session)
    return notice
  }
}
