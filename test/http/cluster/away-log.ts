import { MemoryLog } from '@findling/cluster'
import { FindlingError } from 'findling'

/** A log that can be away. */
export class AwayLog extends MemoryLog {
  isAway = false
  override async append(batch: string, data: Uint8Array): Promise<number> {
    this.#refuse()
    return await super.append(batch, data)
  }
  override async read(...given: Parameters<MemoryLog['read']>) {
    this.#refuse()
    return await super.read(...given)
  }
  override async wait(after: number, signal = new AbortController().signal): Promise<void> {
    await super.wait(after, AbortSignal.any([signal, AbortSignal.timeout(50)]))
  }
  #refuse(): void {
    if (this.isAway) throw new FindlingError('LOG_AWAY', 'The log does not answer.')
  }
}
