import type { Backups } from '../backups/backups.ts'
import { HttpError } from '../http/errors.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'

/**
 * @param backups of this store, undefined without a folder for them; callers cannot choose where they are written
 */
export function backupRoute(processes: Processes, backups: Backups | undefined): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/Maintenance/Backup',
    action: 'Maintenance/Backup',
    summary:
      'Starts a process that backs up everything stored; writes only what has changed since the last backup',
    extension: true,
    writes: true,
    responses: {
      202: { when: 'The process', body: Process },
      404: { when: 'No folder for backups is set' },
      409: { when: 'A backup is already running' },
    },
    handle: async ({ engine, base }) => {
      if (!backups)
        throw new HttpError(404, 'No folder for backups is set: the operator can set FINDLING_BACKUP_FOLDER.')
      if (backups.isUnderWay()) throw new HttpError(409, 'A backup is already running.')
      const job = backups.start()
      await processes.follow(engine, job, [])
      return await processes.started(job, { engine, base })
    },
  })
}
