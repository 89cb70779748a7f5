/** Handles "file not found" as undefined; rethrows any other error. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
