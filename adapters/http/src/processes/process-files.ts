import { createHmac, randomBytes } from 'node:crypto'
import type { JobState, Namespace } from 'findling'
import type { Files } from '../files/files.ts'
import { kindOf } from './kinds.ts'

const SECRET = 'names-of-files'

/**
 * The files that processes make. Whoever knows a file's name may read it, so nobody must be able to guess it from other
 * processes, whose ids are ordered by time: the name is derived from the id with a secret of the installation.
 */
export class ProcessFiles {
  readonly #files: Files
  readonly #notes: Namespace
  #secret: Promise<string> | undefined

  constructor(files: Files, notes: Namespace) {
    this.#files = files
    this.#notes = notes
  }

  async put(
    job: Pick<JobState, 'id' | 'kind'>,
    content: string | AsyncIterable<string | Uint8Array>,
  ): Promise<void> {
    await this.#files.put(await this.#nameOf(job), content)
  }

  /** The name of the file of a process; undefined if it has none. */
  async find(job: Pick<JobState, 'id' | 'kind'>): Promise<string | undefined> {
    const name = await this.#nameOf(job)
    return (await this.#files.has(name)) ? name : undefined
  }

  async #nameOf(job: Pick<JobState, 'id' | 'kind'>): Promise<string> {
    this.#secret ??= this.#readSecret()
    const secret = await this.#secret.catch(error => {
      this.#secret = undefined
      throw error
    })
    const name = createHmac('sha256', secret).update(job.id).digest('base64url')
    return `${name}.${kindOf(job)?.file ?? 'json'}`
  }

  async #readSecret(): Promise<string> {
    const known = await this.#notes.get(SECRET)
    if (typeof known === 'string') return known
    const secret = randomBytes(32).toString('base64url')
    await this.#notes.put(SECRET, secret)
    return secret
  }
}
