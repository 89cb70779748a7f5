/** A file that exists from before a restore writes its first byte until the store is complete. */
export const RESTORE_MARK = 'findling.restore'
