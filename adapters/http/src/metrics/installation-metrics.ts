import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from 'findling'
import type { Backed } from '../backups/backups.ts'
import { apiVersion } from '../http/version.ts'
import type { StatusProbe } from '../status/status.ts'
import type { Metric, Sample } from './exposition.ts'

const MEGABYTE = 2 ** 20

/** The current state of machine and process. */
export async function processMetrics(status: Pick<StatusProbe, 'read'>): Promise<Metric[]> {
  const { AvailableFreeSpace, TotalSpace } = await status.read()
  const { rss, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const { active } = performance.eventLoopUtilization()
  const one = (name: string, help: string, value: number, type: Metric['type'] = 'gauge'): Metric => {
    return { name, help, type, samples: [{ value }] }
  }
  return [
    gauge('findling_info', 'Version of the API.', [{ labels: { version: apiVersion }, value: 1 }]),
    one('findling_disk_free_bytes', 'Free space on the disk of the store.', AvailableFreeSpace * MEGABYTE),
    one('findling_disk_total_bytes', 'Size of the disk of the store.', TotalSpace * MEGABYTE),
    one('process_resident_memory_bytes', 'Memory of the whole process.', rss),
    one('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', heapUsed),
    one('nodejs_external_memory_bytes', 'Memory in use outside the heap.', external),
    one('process_cpu_seconds_total', 'Processor time of all threads.', (user + system) / 1e6, 'counter'),
    one(
      'nodejs_eventloop_active_seconds_total',
      'Time during which the event loop was busy.',
      active / 1000,
      'counter',
    ),
    one('process_start_time_seconds', 'Start of the process, since 1970.', performance.timeOrigin / 1000),
  ]
}

/** The current content of an engine. Names of datasets and services are the only part of the data that it reveals. */
export async function engineMetrics(engine: Engine, store: string): Promise<Metric[]> {
  return [
    gauge('findling_documents', 'Documents, by dataset.', documents(engine)),
    gauge('findling_memory_bytes', 'Memory used by a dataset, by purpose.', memory(engine)),
    gauge('findling_service_memory_bytes', 'Memory used by active services.', services(engine)),
    gauge('findling_jobs_running', 'Processes and background work that are running, by kind.', jobs(engine)),
    gauge('findling_store_bytes', 'Size of the files of the store.', await sizeOf(store)),
    gauge('findling_store_failed', '1 once a write has failed: all are refused until a restart.', [
      { value: engine.failure ? 1 : 0 },
    ]),
  ]
}

/** The age is read from the backup itself, so it is correct after a restart. */
export async function backupMetrics(backup: Backed): Promise<Metric[]> {
  const made = await backup.newest()
  const age = made === undefined ? [] : [{ value: Math.max(0, Date.now() - made) / 1000 }]
  return [
    gauge('findling_backup_age_seconds', 'Age of the newest backup.', age),
    {
      name: 'findling_backup_failures_total',
      help: 'Backups that have failed since the start.',
      type: 'counter',
      samples: [{ value: backup.failures }],
    },
  ]
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'gauge', samples }
}

function documents({ datasets }: Engine): Sample[] {
  return datasets.list().map(({ name, documents }) => ({ labels: { dataset: name }, value: documents }))
}

function memory(engine: Engine): Sample[] {
  return engine
    .memory()
    .datasets.flatMap(({ name: dataset, ...parts }) =>
      Object.entries(parts).map(([part, value]) => ({ labels: { dataset, part }, value })),
    )
}

function services(engine: Engine): Sample[] {
  return engine.memory().services.map(({ id, name, bytes }) => ({ labels: { id, name }, value: bytes }))
}

function jobs(engine: Engine): Sample[] {
  const counts = new Map<string, number>()
  for (const { kind } of engine.jobs({ status: ['running', 'cancelling'] }))
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, value]) => ({ labels: { kind }, value }))
}

/** Empty if there is no such folder, as for a store in memory. */
async function sizeOf(folder: string): Promise<Sample[]> {
  const names = await readdir(folder).catch(() => undefined)
  if (!names) return []
  // Files may have been removed since.
  const sizes = await Promise.all(
    names.map(name =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return [{ value: sizes.reduce((sum, size) => sum + size, 0) }]
}
