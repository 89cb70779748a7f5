// As for the other workers: see worker.cts.
const worker = import('./extraction-worker.js')

exports.perform = async (...call: Parameters<Awaited<typeof worker>['perform']>) =>
  (await worker).perform(...call)
