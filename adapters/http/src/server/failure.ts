import { ClientsError } from '../clients/clients-error.ts'
import { operatorsBackup } from '../clients/folders.ts'
import { ClusterError } from '../cluster/open-node.ts'
import type { Config } from '../config/config.ts'
import { CertificateError } from '../listening/certificate.ts'
import { FolderError } from './folder-check.ts'

/**
 * Why the server could not start, in one line; undefined for what nobody foresaw.
 * @param id of the client that could not be opened, if it is not the server itself
 */
export function startFailure(error: unknown, config: Config, id?: string): string | undefined {
  const { host, port, store } = config
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is in use; choose another port with PORT.`
  if (code === 'STORE_LOCKED') {
    return `The store ${store} is in use by another process; stop that process, or choose another folder with FINDLING_STORE.`
  }
  if (code === 'STORE_CORRUPT' && error.message.startsWith('The store ('))
    return withCauses(error) + remedy(config, id)
  if (code === 'DATASETS_LOST') {
    return `The store ${store} has lost datasets: ${lostDatasets(error)}. Restore a copy of the folder, or start once with --accept-loss to go on without them.`
  }
  if (error instanceof CertificateError || error instanceof ClientsError || error instanceof ClusterError)
    return error.message
  if (error instanceof FolderError) return `A folder cannot be used: ${error.message}.`
  if (typeof code === 'string' && /^((STORE|FORMAT|LOG|NODE)_|(INVALID_ARGUMENT|BEHIND)$)/.test(code))
    return withCauses(error)
  if (!('syscall' in error)) return undefined
  if (error.syscall === 'listen' || error.syscall === 'getaddrinfo') {
    return `Cannot listen on port ${port} of ${host}: ${error.message}`
  }
  return `A file or folder cannot be used: ${error.message}`
}

/** How to get the data of a damaged store again, if there is a way. */
function remedy({ store, backupFolder, clientsFolder, cluster }: Config, id?: string): string {
  if (cluster !== undefined)
    return ` To take the data from the cluster again, move ${store} away and restart the server.`
  if (backupFolder === undefined) return ''
  // Without an id, all would be restored: none is while others are there.
  const name = clientsFolder === undefined ? '' : ` ${id ?? operatorsBackup}`
  return ` To restore the last backup, move ${store} away and run findling-http restore${name}.`
}

/** Exit code 2 where a setting has to be changed first, such as the name that another server has; 1 otherwise. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof Error && 'code' in error && error.code === 'NODE_EXISTS' ? 2 : 1
}

/** Their names stand in the details. */
function lostDatasets(error: Error & { details?: { datasets?: unknown } }): string {
  const names = error.details?.datasets
  return Array.isArray(names) ? names.map(name => JSON.stringify(name)).join(', ') : 'which ones is unknown'
}

/** The engine says what failed, the causes below it why. */
function withCauses(error: Error): string {
  const why = error.cause instanceof Error ? withCauses(error.cause) : ''
  return why === '' || error.message.includes(why) ? error.message : `${error.message} (${why})`
}
