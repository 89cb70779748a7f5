import { statfs } from 'node:fs/promises'
import { availableParallelism, cpus, freemem, totalmem } from 'node:os'
import { dirname, resolve } from 'node:path'
import { apiVersion } from '../http/version.ts'

/** Contract, 13. Memory and disk in megabytes. */
export interface StatusModel {
  ApiVersion: string
  ProcessorCount: number
  CpuUsage: number
  AvailableFreeSpace: number
  TotalSpace: number
  TotalMemory: number
  FreeMemory: number
}

export interface StatusOptions {
  /** A folder on the disk to watch; it need not exist yet. */
  readonly folder: string
  /** Milliseconds between two measurements. Default 5000. */
  readonly refreshMs?: number
}

interface Disk {
  readonly free: number
  readonly total: number
}

const MEGABYTE = 2 ** 20

/**
 * Free resources of the machine, measured at intervals, so that reading them costs nothing. Until the first interval has
 * passed, the CPU usage is the average since the machine started.
 */
export class StatusProbe {
  readonly #folder: string
  readonly #timer: NodeJS.Timeout
  #disk: Promise<Disk>
  #times = processorTimes()
  #cpuUsage = usage({ busy: 0, total: 0 }, this.#times)

  constructor({ folder, refreshMs = 5000 }: StatusOptions) {
    this.#folder = folder
    this.#disk = this.#measureDisk()
    this.#timer = setInterval(() => this.#refresh(), refreshMs).unref()
  }

  async read(): Promise<StatusModel> {
    const { free, total } = await this.#disk
    return {
      ApiVersion: apiVersion,
      ProcessorCount: availableParallelism(),
      CpuUsage: this.#cpuUsage,
      AvailableFreeSpace: megabytes(free),
      TotalSpace: megabytes(total),
      TotalMemory: megabytes(totalmem()),
      FreeMemory: megabytes(freemem()),
    }
  }

  /** On the watched disk. */
  async freeMegabytes(): Promise<number> {
    return megabytes((await this.#disk).free)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #refresh(): void {
    const before = this.#times
    this.#times = processorTimes()
    if (this.#times.total > before.total) this.#cpuUsage = usage(before, this.#times)
    this.#disk = this.#measureDisk()
  }

  #measureDisk(): Promise<Disk> {
    const disk = diskOf(resolve(this.#folder))
    disk.catch(() => {}) // reported to whoever awaits it
    return disk
  }
}

async function diskOf(folder: string): Promise<Disk> {
  try {
    const { bsize, bavail, blocks } = await statfs(folder)
    return { free: bsize * bavail, total: bsize * blocks }
  } catch (error) {
    const above = dirname(folder)
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isAbsent || above === folder) throw error
    return await diskOf(above)
  }
}

interface ProcessorTimes {
  readonly busy: number
  readonly total: number
}

/** In percent. */
function usage(from: ProcessorTimes, to: ProcessorTimes): number {
  // If the system reports no processors, the total time is 0 as well.
  return rounded((100 * (to.busy - from.busy)) / Math.max(1, to.total - from.total))
}

function processorTimes(): ProcessorTimes {
  let [busy, total] = [0, 0]
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.irq + times.idle
    total += all
    busy += all - times.idle
  }
  return { busy, total }
}

/** With two decimals. */
export function megabytes(bytes: number): number {
  return rounded(bytes / MEGABYTE)
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
