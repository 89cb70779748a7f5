import type { Engine, Job, JobState } from 'findling'
import type * as z from 'zod'
import type { Call } from '../route.ts'
import { isOfContract, type Process, processModel } from '../wire/processes.ts'
import { kindOf } from './kinds.ts'
import type { ProcessFiles } from './process-files.ts'

export type ProcessModel = z.output<typeof Process>

/** The engine's jobs as the contract's processes, with the files in which finished ones report on each document. */
export class Processes {
  readonly #files: ProcessFiles

  constructor(files: ProcessFiles) {
    this.#files = files
  }

  /** The state of a job that is exposed as a process. */
  find(engine: Engine, id: string): JobState | undefined {
    const job = engine.job(id)
    return job && kindOf(job) ? job : undefined
  }

  /**
   * Follows a job; to be called in the turn in which the job was started. The note for its file is then stored before the
   * job can end, so that the file is written even after a crash in between.
   * @param ids of the job's documents, for kinds that report on each
   */
  async follow(engine: Engine, job: Job<unknown>, ids: readonly string[]): Promise<void> {
    await notesOf(engine).put(job.id, ids)
    const settle = () => this.#settle(engine, job.state)
    // Reading the process settles it as well: a failure here only delays the file.
    job.ended.then(settle).catch(() => {})
  }

  /**
   * The jobs that are exposed as processes.
   * @param extensions includes types that the contract does not have
   */
  async list(
    engine: Engine,
    jobs: readonly JobState[],
    { base, extensions }: { base: string; extensions: boolean },
  ): Promise<ProcessModel[]> {
    const models: ProcessModel[] = []
    for (const job of jobs) {
      const kind = kindOf(job)
      if (kind && (extensions || isOfContract(kind.type))) models.push(await this.model(engine, job, base))
    }
    return models
  }

  /** The answer to a call that started a job. */
  async started(
    job: Job<unknown>,
    { engine, base }: Pick<Call, 'engine' | 'base'>,
  ): Promise<{ status: 202; body: ProcessModel }> {
    return { status: 202, body: await this.model(engine, job.state, base) }
  }

  /** @param base address that links begin with */
  async model(engine: Engine, job: JobState, base: string): Promise<ProcessModel> {
    const { type, sentence, problems } = kindOf(job)!
    if (job.status !== 'finished') return processModel(job, { type, message: null, problems: [] })
    const message = sentence(job) + (await this.#linkLine(engine, job, base))
    return processModel(job, { type, message, problems: problems?.(job) ?? [] })
  }

  /** Empty without a file: jobs started by the embedding program have none, and old files are removed. */
  async #linkLine(engine: Engine, job: JobState, base: string): Promise<string> {
    try {
      await this.#settle(engine, job)
      const name = await this.#files.find(job)
      return name === undefined ? '' : `\n${base}/files/${name}`
    } catch {
      // A file that cannot be written or read must not hide the process: the next call tries again.
      return ''
    }
  }

  /** Writes the file of an ended job, once. */
  async #settle(engine: Engine, job: JobState): Promise<void> {
    const notes = notesOf(engine)
    const ids = await notes.get(job.id)
    if (ids === undefined) return
    const report = job.status === 'finished' && kindOf(job)?.report?.(job, ids as string[]) // as stored by `follow`
    if (report) await this.#files.put(job, JSON.stringify(report))
    await notes.delete(job.id)
  }
}

function notesOf(engine: Engine) {
  return engine.namespace('http-processes', { local: true })
}
