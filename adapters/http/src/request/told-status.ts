/** As nginx has it: whoever called did not wait for the answer. */
const givenUp = 499

interface Answered {
  readonly req: { readonly raw: Pick<Request, 'signal'> }
  readonly res: Pick<Response, 'status'>
}

/** The status by which log and metrics count an answer: work that ends because its caller has gone is no failure of the server. */
export const toldStatus = ({ req, res }: Answered): number =>
  res.status >= 500 && req.raw.signal.aborted ? givenUp : res.status
