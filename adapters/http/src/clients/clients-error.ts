/** Why a server cannot have clients as it is set, or why a folder is none of them. */
export class ClientsError extends Error {
  override readonly name = 'ClientsError'
}
