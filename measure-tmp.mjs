import { ClusterNode, PostgresDatabase } from '@findling/cluster'
import { rmSync } from 'node:fs'
const [from, to] = process.argv.slice(2).map(Number)
const database = await PostgresDatabase.open({ url: 'postgres://findling@127.0.0.1:54399/postgres' })
rmSync('/tmp/c-measure/script', { recursive: true, force: true })
const node = await ClusterNode.open({ log: await database.log('main'), store: '/tmp/c-measure/script' })
await node.latest()
const began = Date.now()
for (let i = from; i < to; i++) {
  const log = `c${i}.x`
  await (await database.log(log)).close()
  await node.engine.namespace('http-clients').put(`c${i}`, log, { ifAbsent: true })
}
console.log('added in', Date.now() - began)
await node.close(); await database.close()
