import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { Job, JobBody, JobOptions } from '../jobs/job.ts'
import { jobOptions } from '../jobs/watching.ts'
import { documentKey } from '../store/keyspace.ts'
import { applying, type Mutation } from '../store/transaction.ts'
import { attachedTexts } from './attachments.ts'
import { documentIn, seqIn } from './record.ts'
import { checkId } from './schema/ids.ts'
import { type DocumentsContext, deletion, type OwnerOptions, ownerMember, upsertion } from './writes.ts'

/** The result of a copy or a move. */
export interface TransferReport {
  /** Documents that arrived. */
  transferred: number
  /** Ids asked for that the source does not have; they are no failures. */
  missing: number
  /** What the target refused; a move leaves these in the source. */
  failed: { id: string; code: string; message: string }[]
}

const CHUNK = 200
const transferOptions = jobOptions.extend(ownerMember)
const idList = z.array(z.union([z.string(), z.number()])).min(1)

/** Copy and move: chunk by chunk, each document arriving and leaving in one commit. */
export function transferring(
  source: DocumentsContext,
  ids: readonly (string | number)[],
  into: DocumentsContext,
  options: JobOptions & OwnerOptions,
  { move }: { move: boolean },
): Job<TransferReport> {
  const { owner, ...watch } = parseInput(transferOptions, options, 'options')
  const target = { ...into, owner }
  const checked = parseInput(idList, ids, 'ids').map((id, i) => checkId(id, `ids[${i}]`))
  const wanted = [...new Set(checked)]
  if (source.state.dataset === target.state.dataset) throw sameDataset(source.state.name)
  const body: JobBody<TransferReport> = async function* () {
    const report: TransferReport = { transferred: 0, missing: 0, failed: [] }
    for (let at = 0; at < wanted.length; at += CHUNK) {
      source.state.assertThere()
      target.state.assertThere()
      await transferChunk(source, wanted.slice(at, at + CHUNK), target, move, report)
      yield {
        done: Math.min(at + CHUNK, wanted.length),
        total: wanted.length,
        phase: move ? 'moving' : 'copying',
      }
    }
    return report
  }
  const description = `${move ? 'Moving' : 'Copying'} from ${source.state.name} to ${target.state.name}`
  return source.jobs.start(move ? 'move' : 'copy', description, body, {
    ...watch,
    datasets: [source.state.name, target.state.name],
  })
}

async function transferChunk(
  source: DocumentsContext,
  ids: readonly string[],
  target: DocumentsContext,
  move: boolean,
  report: TransferReport,
): Promise<void> {
  const values = await source.store.getMany(ids.map(id => documentKey(source.state.dataset, id)))
  const writes: { id: string; written: Promise<void> }[] = []
  for (let i = 0; i < ids.length; i++) {
    const value = values[i]
    if (value) writes.push({ id: ids[i]!, written: transferOne(source, ids[i]!, value, target, move) })
    else report.missing++
  }
  const outcomes = await Promise.allSettled(writes.map(({ written }) => written))
  for (let i = 0; i < outcomes.length; i++) {
    const outcome = outcomes[i]!
    if (outcome.status === 'fulfilled') report.transferred++
    else report.failed.push({ id: writes[i]!.id, ...reason(outcome.reason) })
  }
}

async function transferOne(
  source: DocumentsContext,
  id: string,
  value: Uint8Array,
  target: DocumentsContext,
  move: boolean,
): Promise<void> {
  const document = documentIn(value)
  // Into another schema: what is a file there need not be one here.
  const known = attachedTexts(source.state.schema.root, document)
  const arrival = await upsertion(target, document, {}, known)
  const departure = deletion(source, id, { ifSeq: seqIn(value) })
  const both: Mutation<void> = {
    reads: [...arrival.reads, ...departure.reads],
    bytes: arrival.bytes + departure.bytes,
    *apply(transaction) {
      if (move) yield* applying(departure, transaction)
      yield* applying(arrival, transaction)
    },
  }
  await source.store.writeWhenRoom(both)
}

function reason(error: unknown): { code: string; message: string } {
  if (error instanceof FindlingError && error.code !== 'CLOSED' && error.code !== 'STORE_FAILED') {
    return { code: error.code, message: error.message }
  }
  throw error
}

function sameDataset(name: string): FindlingError {
  return new FindlingError('INVALID_ARGUMENT', `Source and target are the same dataset, ${name}.`, {
    field: 'target',
    received: name,
    expected: 'another dataset',
  })
}
