import { afterAll, beforeAll, describe } from 'vitest'
import { hasPostgres, PostgresServer } from './postgres-server.ts'

/** A block of tests that share a server, which is there once they run; skipped where PostgreSQL is not installed. */
export function describeWithPostgres(
  name: string,
  tests: (postgres: { readonly server: PostgresServer }) => void,
): void {
  describe.skipIf(!hasPostgres)(name, () => {
    let server: PostgresServer | undefined
    beforeAll(async () => {
      server = await PostgresServer.start()
    }, 60_000)
    afterAll(async () => {
      await server?.stop()
    })
    tests({
      get server() {
        if (!server) throw new Error('The server is there only while tests run.')
        return server
      },
    })
  })
}
