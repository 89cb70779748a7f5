import { threadId } from 'node:worker_threads'
import { FindlingError } from '../../src/errors.ts'
import { dispatcher } from '../../src/jobs/dispatch.ts'

interface Meeting {
  readonly shared: Int32Array<SharedArrayBuffer>
  readonly parties: number
}

const tasks = {
  sum: (numbers: Float64Array) => numbers.reduce((a, b) => a + b, 0),
  count(shared: Int32Array<SharedArrayBuffer>) {
    return Atomics.add(shared, 0, 1)
  },
  /** Ends only when so many tasks are in it at the same time; tells how many were at most. */
  meet({ shared, parties }: Meeting) {
    Atomics.add(shared, 0, 1)
    Atomics.notify(shared, 0)
    for (let here = Atomics.load(shared, 0); here < parties; here = Atomics.load(shared, 0)) {
      Atomics.wait(shared, 0, here)
    }
    return Atomics.load(shared, 0)
  },
  /** Tells how many tasks shared the room with it. */
  crowd(shared: Int32Array<SharedArrayBuffer>) {
    const here = Atomics.add(shared, 0, 1) + 1
    Atomics.wait(shared, 1, 0, 20)
    Atomics.sub(shared, 0, 1)
    return here
  },
  buffers: (length: number) => ({
    postings: new Uint16Array(length).fill(7),
    lists: [new Map([['a', new Uint8Array(3)]])],
  }),
  spin(shared: Int32Array<SharedArrayBuffer>) {
    Atomics.store(shared, 0, 1)
    for (;;) Atomics.wait(shared, 1, 0)
  },
  refuse(name: string) {
    throw new FindlingError('DATASET_NOT_FOUND', `no dataset ${name}`, { field: 'name', received: name })
  },
  stumble() {
    throw new RangeError('index out of bounds')
  },
  thread: (_: null) => threadId,
  exit: (code: number) => process.exit(code),
}

export type TestTasks = typeof tasks

const loaded = Object.entries<(input: never) => unknown>(tasks).map(([name, task]) => [
  name,
  async () => task,
])
export const perform = dispatcher(Object.fromEntries(loaded))
