/** Why a server cannot have clients with its settings, or why a folder is not a client. */
export class ClientsError extends Error {
  override readonly name = 'ClientsError'
}
