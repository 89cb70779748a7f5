// The pool takes in its worker by require(). With an ES module, Node 20 ends the whole process when the thread is
// stopped meanwhile; import() can be stopped.
const worker = import('./worker.js')

exports.perform = async (...call: Parameters<Awaited<typeof worker>['perform']>) =>
  (await worker).perform(...call)
