export type FieldName = 'Email' | 'Accepted' | 'Secret' | 'SecretConfirm' | 'LicenseKey'

export interface Problem {
  /** Absent: it concerns the form as a whole. */
  readonly field?: FieldName
  readonly message: string
}

/** Messages for the page after a post, and the typed values that should not be lost. */
export interface Notice {
  readonly problems: readonly Problem[]
  readonly email?: string
  readonly licenseKey?: string
}

const mostSessions = 50

/** Keeps the notice of a post until its session loads the page again, for the 50 latest sessions. */
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

  /** Gives a notice once. */
  take(session: string): Notice | undefined {
    const notice = this.#notices.get(session)
    this.#notices.delete(session)
    return notice
  }
}
