export type { Entry, Head, Log, ReadLimit } from './log.ts'
export { MemoryLog } from './memory-log.ts'
export { ClusterNode, type NodeOptions, type NodeStatus, type Written } from './node.ts'
export { PostgresLog, type PostgresLogOptions } from './postgres/postgres-log.ts'
