import { HttpError } from '../http/errors.ts'
import type { StatusProbe } from '../status/status.ts'

/** 507 while fewer megabytes of the disk are free than required (contract, 1.12). */
export async function requireDiskSpace(
  status: Pick<StatusProbe, 'freeMegabytes'>,
  minimumMb: number,
): Promise<void> {
  const free = await status.freeMegabytes()
  if (free >= minimumMb) return
  throw new HttpError(
    507,
    `Only ${Math.floor(free)} MB are free on the disk; writes need at least ${minimumMb} MB.`,
  )
}
