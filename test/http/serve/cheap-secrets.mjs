// A server whose secrets are tried in a millisecond, as by `test/http/access/hash-cost.ts`: loaded before it.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
crypto.scrypt = (secret, salt, length, options, done) =>
  scrypt(secret, salt, length, { ...options, cost: 2 ** 10, parallelization: 1 }, done)
syncBuiltinESMExports()
