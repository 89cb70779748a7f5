import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { HttpError } from '../transport/errors.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'

/**
 * Exists only where a folder for backups is configured.
 * @param folder of the backup; whoever calls has no say in where it is written
 */
export function backupRoute(processes: Processes, folder: string): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/Maintenance/Backup',
    action: 'Maintenance/Backup',
    summary:
      'Backs up everything that is stored, as a process; writes what has changed since the last backup',
    extension: true,
    writes: true,
    responses: {
      202: { when: 'The process', body: Process },
      409: { when: 'A backup is under way' },
    },
    handle: async ({ engine, base }) => {
      const isUnderWay = engine
        .jobs({ status: ['running', 'cancelling'] })
        .some(({ kind }) => kind === 'backup')
      if (isUnderWay) throw new HttpError(409, 'A backup is under way already.')
      const job = engine.backup(folder)
      await processes.follow(engine, job, [])
      return await processes.started(job, { engine, base })
    },
  })
}
