// A node of a cluster as a process of its own. It is asked by messages of its parent, and killed by it.
import * as cluster from '@findling/cluster'
import { Engine } from 'findling'

const DATASET = 'documents'
let node
let log
let shared

const calls = {
  /** @param backup restored into the store first */
  async open({ store, url, backup, name, timeout = 4000, patience = 4000 }) {
    if (backup) await Engine.restore(backup, store)
    log = await cluster.PostgresLog.open({ url, timeout })
    if (name) shared = await cluster.PostgresShared.open({ url, timeout })
    const logger = { warn() {}, error() {} }
    node = await cluster.ClusterNode.open({ store, log, patience, logger, ...(name && { shared, name }) })
    return node.status
  },
  async upgrade() {
    return await cluster.upgradeCluster(log, shared)
  },
  async create() {
    await node.write([
      {
        type: 'createDataset',
        dataset: DATASET,
        definition: { interpretedFields: ['content', 'note'], topics: false },
      },
    ])
  },
  async write({ operation }) {
    const { position, results } = await node.write([operation], { each: true })
    const [{ error, seq }] = results
    return error ? { refused: error.code } : { position, seq }
  },
  /** @param position the least that has to be seen; without one, everything that the log has */
  async read({ id, position }) {
    if (position === undefined) await node.latest()
    else await node.reach(position)
    const record = await node.engine.datasets.get(DATASET).documents.record(id)
    return record ? { ...record.document, seq: record.seq } : null
  },
  status() {
    const { failure, ...status } = node.status
    return { ...status, failure: failure?.code ?? null }
  },
  async backup({ folder }) {
    await node.engine.backup(folder)
  },
  async state({ queries }) {
    await node.latest()
    const dataset = node.engine.datasets.get(DATASET)
    const answers = []
    for (const query of queries) {
      const { hits, total } = await dataset.search(query, { limit: 100, total: 'exact' })
      // Average lengths are of each node's own time, and so are scores and the order that they make.
      answers.push({ query, total, ids: hits.map(({ id }) => id).sort() })
    }
    return { digest: (await node.engine.digest()).digest, documents: dataset.documents.count, answers }
  },
  async close() {
    await node.close()
    await shared?.close()
    await log.close()
    process.disconnect()
  },
}

process.on('message', async ({ id, call, args }) => {
  try {
    process.send({ id, value: await calls[call](args ?? {}) })
  } catch (error) {
    process.send?.({ id, error: { code: error.code ?? 'BUG', message: error.stack } })
  }
})
process.on('disconnect', () => process.exit(0))
