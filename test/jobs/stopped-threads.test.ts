import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { workerUrl } from '../worker-url.ts'

const script = fileURLToPath(new URL('./stopped-threads.mjs', import.meta.url))

it('a thread can be stopped while it takes in the worker, and the process goes on', async () => {
  const stopping = promisify(execFile)(process.execPath, [script, workerUrl.href, '160'])
  await expect(stopping).resolves.toEqual({ stdout: '', stderr: '' })
})
