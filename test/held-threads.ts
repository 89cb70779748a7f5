import { acquirePool } from '../src/jobs/pool.ts'

// Never given back: engines of one test find the worker threads that those of another have started.
acquirePool()
