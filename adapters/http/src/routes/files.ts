import * as z from 'zod'
import type { Files } from '../files/files.ts'
import { HttpError } from '../http/errors.ts'
import type { Route } from '../route.ts'
import { defineRoute } from './define-route.ts'

const mediaTypes = ['application/json', 'application/x-ndjson', 'text/csv', 'text/plain', 'application/zip']

/** Contract, 1.13. */
export function filesRoute(files: Pick<Files, 'get'>): Route {
  return defineRoute({
    method: 'GET',
    path: '/files/{name}',
    action: '',
    summary: 'Downloads a file that a process has written',
    members: z.object({ name: z.string().describe('As in the link in the ResultMessage of a process') }),
    responses: {
      200: { when: 'The file', types: mediaTypes },
      404: { when: 'There is no such file, or it has been removed' },
    },
    handle: async ({ path: { name } }) => {
      const file = await files.get(name)
      if (!file) throw new HttpError(404, 'There is no such file.')
      const headers = {
        'Content-Type': file.type,
        'Content-Length': String(file.size),
      }
      return { status: 200, stream: file.body, headers }
    },
  })
}
