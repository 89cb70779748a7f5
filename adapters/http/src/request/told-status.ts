/** The status that nginx uses if the caller did not wait for the answer. */
const givenUp = 499

interface Answered {
  readonly req: { readonly raw: Pick<Request, 'signal'> }
  readonly res: Pick<Response, 'status'>
}

/** The status of an answer for log and metrics: work aborted because the caller has gone is not a failure of the server. */
export const toldStatus = ({ req, res }: Answered): number =>
  res.status >= 500 && req.raw.signal.aborted ? givenUp : res.status
