import { parseInput } from '../input.ts'
import type { Job, JobBody, JobOptions } from '../jobs/job.ts'
import { jobOptions } from '../jobs/watching.ts'
import type { JsonObject } from '../json.ts'
import { compileCondition } from '../query/condition-query.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { documentKey } from '../store/keyspace.ts'
import { applying, type Mutation } from '../store/transaction.ts'
import { documentIn, recordIn, seqIn } from './record.ts'
import type { DatasetState } from './state.ts'
import { allDocuments } from './stored-documents.ts'
import { allOrNone, type DocumentsContext, type MaybePromise } from './writes.ts'

interface PreparedChange {
  readonly kind: string
  readonly description: string
  readonly phase: string
  /** Gives how a document that matches is written, once what that needs has been read. */
  prepare(): MaybePromise<(id: string) => Mutation<unknown>>
}

/** Documents of a slice, and what they may weigh: one that is heavier is a slice of its own. */
const SLICE_DOCUMENTS = 200
const SLICE_BYTES = 2 ** 20

/** Changes all documents that matched when it began and match still when their slice is written. */
export function byQuery(
  context: DocumentsContext,
  where: unknown,
  options: JobOptions,
  change: PreparedChange,
): Job<number> {
  const checked = parseInput(jobOptions, options, 'options')
  const { store, state, jobs } = context
  const matches = compileCondition(where, state.queryFields, 'where')
  store.assertOpen()
  state.assertThere()
  const body: JobBody<number> = async function* (job) {
    const prepare = await change.prepare()
    const { documents: total } = store.counts(state.dataset)
    let [done, changed, bytes] = [0, 0, 0]
    let found: Match[] = []
    let pending: Promise<void> = Promise.resolve()
    /** One slice is being written while the next is gathered; never more. */
    const flush = async () => {
      const writes = found.map(match => ifStill(prepare(match.id), state, match, matches))
      found = []
      bytes = 0
      await pending
      pending = store.writeWhenRoom(allOrNone(writes)).then(written => {
        changed += written.filter(Boolean).length
      })
      pending.catch(() => {})
    }
    const stretch = new Stretch()
    try {
      for await (const batch of allDocuments(context, { signal: job.signal })) {
        for (const [id, payload] of batch) {
          done++
          const { document, seq } = recordIn(payload)
          if (!(await stretch.through(matches.deciding(document)))) continue
          if (found.length > 0 && bytes + payload.byteLength > SLICE_BYTES) {
            await flush()
            yield { done, total, phase: change.phase }
          }
          found.push({ id, seq })
          bytes += payload.byteLength
          if (found.length < SLICE_DOCUMENTS) continue
          await flush()
          yield { done, total, phase: change.phase }
        }
        yield { done, total, phase: change.phase }
      }
      if (found.length > 0) await flush()
    } finally {
      // A job that is over, cancelled too, writes nothing any more.
      await pending
    }
    return changed
  }
  return jobs.start(change.kind, change.description, body, {
    ...checked,
    datasets: [state.name],
  })
}

/** A document that matched when it was read, and the number of its last change. */
interface Match {
  readonly id: string
  readonly seq: number
}

/** Writes a document, and says true, if it is there and matches when its turn comes, whatever came since it was found. */
function ifStill(
  write: Mutation<unknown>,
  { dataset, name }: DatasetState,
  { id, seq }: Match,
  matches: (document: JsonObject) => boolean,
): Mutation<boolean> {
  return {
    ...write,
    *apply(transaction) {
      transaction.dataset(dataset, name)
      const value = transaction.read(documentKey(dataset, id))
      if (!value || (seqIn(value) !== seq && !matches(documentIn(value)))) return false
      yield* applying(write, transaction)
      return true
    },
  }
}
