/** One thing that the contract says an endpoint may answer. */
export interface ContractRow {
  /** Method and path as in the contract. */
  readonly endpoint: string
  readonly status: number
  readonly when: string
  /** Built and tested; the others come with the engine parts that they need. */
  readonly delivered: boolean
}

const yes = true
const notYet = false

const rows: readonly (readonly [endpoint: string, status: number, when: string, delivered: boolean])[] = [
  // 1 and 2.1: whatever the endpoint
  ['any /api', 400, 'client of another version', yes],
  ['any /api', 401, 'key missing or wrong', yes],
  ['any /api', 404, 'unknown path, or known path with a wrong method', yes],
  ['any /api', 412, 'no secret is set yet', yes],
  ['any /api', 413, 'body above the limit', yes],
  ['any /api', 415, 'content that is not valid JSON', yes],

  // 2: secret, setup, licence, root, update
  ['POST /api/Maintenance/ChangeSecret', 200, 'changed', yes],
  ['POST /api/Maintenance/ChangeSecret', 400, 'missing, null or blank', yes],
  ['POST /api/Maintenance/ChangeSecret', 406, 'too short or too long', yes],
  ['GET /setup', 200, 'the page', yes],
  ['GET /setup', 403, 'token is wrong', yes],
  ['POST /setup', 302, 'always', yes],
  ['POST /setup/RequestOpenSourceLicense', 302, 'always', yes],
  ['GET /api/License', 200, 'state of the licence', yes],
  ['POST /api/License', 200, 'stored', yes],
  ['POST /api/License', 400, 'missing, unreadable or not valid', yes],
  ['GET /', 200, 'description of the instance', yes],
  ['GET /health', 200, 'the process answers', yes],
  ['GET /ready', 200, 'calls can be answered', yes],
  ['GET /ready', 503, 'no secret is set yet', yes],
  ['GET /update', 200, 'there is an updater', yes],
  ['GET /update', 401, 'key missing or wrong', yes],
  ['GET /update', 404, 'there is no updater', yes],
  ['POST /update', 200, 'log of the update', yes],
  ['POST /update', 401, 'key missing or wrong', yes],
  ['POST /update', 404, 'there is no updater', yes],
  ['POST /update', 500, 'failed or running already', yes],

  // 3: datasets
  ['GET /api/DataSets', 200, 'list', yes],
  ['GET /api/DataSets/{name}', 200, 'dataset', yes],
  ['GET /api/DataSets/{name}', 400, 'name breaks the rule', yes],
  ['GET /api/DataSets/{name}', 404, 'unknown', yes],
  ['POST /api/DataSets', 201, 'made', yes],
  ['POST /api/DataSets', 400, 'model, sample missing or unfit', yes],
  ['POST /api/DataSets', 409, 'name exists', yes],
  ['POST /api/DataSets', 507, 'disk nearly full', yes],
  ['POST /api/DataSets/Schema', 201, 'made', yes],
  ['POST /api/DataSets/Schema', 400, 'model, schema missing or unfit', yes],
  ['POST /api/DataSets/Schema', 409, 'name exists', yes],
  ['POST /api/DataSets/Schema', 507, 'disk nearly full', yes],
  ['PUT /api/DataSets/{existingName}', 200, 'renamed', yes],
  ['PUT /api/DataSets/{existingName}', 304, 'names are equal', yes],
  ['PUT /api/DataSets/{existingName}', 400, 'a name breaks the rule', yes],
  ['PUT /api/DataSets/{existingName}', 404, 'unknown', yes],
  ['PUT /api/DataSets/{existingName}', 409, 'new name taken', yes],
  ['PUT /api/DataSets/{existingName}', 507, 'disk nearly full', yes],
  ['DELETE /api/DataSets/{name}', 200, 'deleted', yes],
  ['DELETE /api/DataSets/{name}', 400, 'name breaks the rule', yes],
  ['DELETE /api/DataSets/{name}', 404, 'unknown', yes],
  ['DELETE /api/DataSets/{name}', 406, 'a service was prepared from it', notYet],

  // 4: tags
  ['GET /api/Tags', 200, 'list', yes],
  ['GET /api/Tags', 400, 'X-DataSet missing or unknown', yes],
  ['GET /api/Tags/{id}', 200, 'tag', yes],
  ['GET /api/Tags/{id}', 400, 'X-DataSet missing or unknown', yes],
  ['GET /api/Tags/{id}', 404, 'unknown', yes],
  ['POST /api/Tags', 201, 'made', yes],
  ['POST /api/Tags', 400, 'model, id blank or not of digits', yes],
  ['POST /api/Tags', 406, 'parent unknown', yes],
  ['POST /api/Tags', 409, 'id exists', yes],
  ['POST /api/Tags', 507, 'disk nearly full', yes],
  ['PUT /api/Tags/{id}', 200, 'changed', yes],
  ['PUT /api/Tags/{id}', 400, 'model, id blank or not of digits', yes],
  ['PUT /api/Tags/{id}', 404, 'unknown', yes],
  ['PUT /api/Tags/{id}', 406, 'id taken, parent unknown, its own ancestor', yes],
  ['PUT /api/Tags/{id}', 507, 'disk nearly full', yes],
  ['DELETE /api/Tags/{id}', 200, 'deleted', yes],
  ['DELETE /api/Tags/{id}', 400, 'X-DataSet missing or unknown', yes],
  ['DELETE /api/Tags/{id}', 404, 'unknown', yes],
  ['DELETE /api/Tags/{id}', 409, 'has children', yes],
  ['POST /api/Tags/Bulk', 200, 'result per tag', yes],
  ['POST /api/Tags/Bulk', 400, 'model, empty list, blank or repeated id', yes],
  ['POST /api/Tags/Bulk', 507, 'disk nearly full', yes],
  ['POST /api/Tags/CleanDocuments', 200, 'cleaned', yes],
  ['POST /api/Tags/CleanDocuments', 400, 'X-DataSet missing or unknown', yes],
  ['POST /api/Tags/ExportWords', 202, 'process', notYet],
  ['POST /api/Tags/ExportWords', 400, 'n-grams, unknown tags', notYet],
  ['POST /api/Tags/ExportWords', 507, 'disk nearly full', notYet],

  // 5: documents
  ['GET /api/Documents/{id}', 200, 'document', yes],
  ['GET /api/Documents/{id}', 400, 'X-DataSet missing or unknown', yes],
  ['GET /api/Documents/{id}', 404, 'unknown', yes],
  ['POST /api/Documents', 201, 'stored', yes],
  ['POST /api/Documents', 400, 'breaks a rule', yes],
  ['POST /api/Documents', 409, 'id exists', yes],
  ['POST /api/Documents', 507, 'disk nearly full', yes],
  ['PUT /api/Documents/{id}', 200, 'document after the change', yes],
  ['PUT /api/Documents/{id}', 400, 'breaks a rule', yes],
  ['PUT /api/Documents/{id}', 404, 'unknown', yes],
  ['PUT /api/Documents/{id}', 409, 'new id taken', yes],
  ['PUT /api/Documents/{id}', 507, 'disk nearly full', yes],
  ['DELETE /api/Documents/{id}', 200, 'deleted', yes],
  ['DELETE /api/Documents/{id}', 400, 'X-DataSet missing or unknown', yes],
  ['DELETE /api/Documents/{id}', 404, 'unknown', yes],
  ['POST /api/Documents/Bulk', 200, 'result per document', yes],
  ['POST /api/Documents/Bulk', 400, 'model', yes],
  ['POST /api/Documents/Bulk', 507, 'disk nearly full', yes],

  // 6: filter, sample, copy, move, files, text extraction
  ['POST /api/Documents/Filter', 200, 'page', notYet],
  ['POST /api/Documents/Filter', 400, 'model, unknown field, query', notYet],
  ['POST /api/Documents/Filter/{scrollId}', 200, 'page', notYet],
  ['POST /api/Documents/Sample', 200, 'page', notYet],
  ['POST /api/Documents/Sample', 400, 'model, no size, unknown field', notYet],
  ['POST /api/Documents/Copy', 202, 'process', yes],
  ['POST /api/Documents/Copy', 400, 'list empty, target invalid, unknown or the source', yes],
  ['POST /api/Documents/Copy', 507, 'disk nearly full', yes],
  ['POST /api/Documents/Move', 202, 'process', yes],
  ['POST /api/Documents/Move', 400, 'list empty, target invalid, unknown or the source', yes],
  ['POST /api/Documents/Move', 507, 'disk nearly full', yes],
  ['GET /files/{name}', 200, 'file', yes],
  ['GET /files/{name}', 404, 'unknown', yes],
  ['POST /api/Helper/FileParser', 200, 'text', notYet],
  ['POST /api/Helper/FileParser', 400, 'missing, no base64', notYet],

  // 11: processes
  ['GET /api/Processes', 200, 'list', yes],
  ['GET /api/Processes/{id}', 200, 'process', yes],
  ['GET /api/Processes/{id}', 404, 'unknown', yes],
  ['POST /api/Processes/{id}/Cancel', 202, 'asked to stop', yes],
  ['POST /api/Processes/{id}/Cancel', 400, 'not in progress', yes],
  ['POST /api/Processes/{id}/Cancel', 404, 'unknown', yes],

  // 12 and 13: statistics, status
  ['GET /api/Statistics', 200, 'all time', yes],
  ['GET /api/Statistics/{year}', 200, 'a year', yes],
  ['GET /api/Statistics/{year}', 400, 'no year', yes],
  ['GET /api/Statistics/{year}/{month}', 200, 'a month', yes],
  ['GET /api/Statistics/{year}/{month}', 400, 'no month', yes],
  ['GET /api/Status', 200, 'status', yes],

  // 20: extensions
  ['POST /api/Documents/Search', 200, 'hits', yes],
  ['POST /api/Documents/Search', 400, 'model', yes],
  ['POST /api/Search/Multi', 200, 'what each found', yes],
  ['POST /api/Search/Multi', 400, 'model', yes],
  ['POST /api/Search/Multi', 404, 'no such dataset', yes],
  ['POST /api/Documents/Complete', 200, 'completions', yes],
  ['POST /api/Documents/Complete', 400, 'model', yes],
  ['POST /api/Documents/Import', 202, 'process', yes],
  ['POST /api/Documents/Import', 400, 'X-DataSet missing or unknown', yes],
  ['POST /api/Documents/Import', 415, 'of another content type', yes],
  ['POST /api/Documents/Import', 507, 'disk nearly full', yes],
  ['GET /api/Documents/Export', 200, 'documents', yes],
  ['GET /api/Documents/Export', 400, 'unknown format', yes],
  ['GET /api/Documents/Changes', 200, 'changes', yes],
  ['GET /api/Documents/Changes', 400, 'no number', yes],
  ['GET /api/Documents/Changes', 410, 'removals forgotten', yes],
  ['POST /api/DataSets/{name}/Swap/{other}', 200, 'swapped', yes],
  ['POST /api/DataSets/{name}/Swap/{other}', 400, 'a name breaks the rule', yes],
  ['POST /api/DataSets/{name}/Swap/{other}', 404, 'one unknown', yes],
  ['POST /api/DataSets/{name}/Swap/{other}', 507, 'disk nearly full', yes],
  ['POST /api/DataSets/{name}/Reconfigure', 202, 'process', yes],
  ['POST /api/DataSets/{name}/Reconfigure', 400, 'a setting breaks its rule', yes],
  ['POST /api/DataSets/{name}/Reconfigure', 404, 'unknown', yes],
  ['POST /api/DataSets/{name}/Reconfigure', 409, 'being indexed anew already', yes],
  ['POST /api/DataSets/{name}/Reconfigure', 507, 'disk nearly full', yes],
  ['POST /api/DataSets/{name}/Optimize', 202, 'process', yes],
  ['POST /api/DataSets/{name}/Optimize', 400, 'name breaks the rule', yes],
  ['POST /api/DataSets/{name}/Optimize', 404, 'unknown', yes],
  ['POST /api/DataSets/{name}/Optimize', 409, 'being indexed anew already', yes],
  ['POST /api/DataSets/{name}/Optimize', 507, 'disk nearly full', yes],
  ['GET /api/DataSets/{name}/Settings', 200, 'settings', yes],
  ['GET /api/DataSets/{name}/Settings', 400, 'name breaks the rule', yes],
  ['GET /api/DataSets/{name}/Settings', 404, 'unknown', yes],
  ['GET /api/Status', 400, 'memory asked for by no truth value', yes],
]

/**
 * Every (endpoint, status) of the contract's sections 2 to 6 and 11 to 13, and of the extensions that need no
 * trained service. A status that every endpoint may answer stands once, at the top.
 */
export const contractTable: readonly ContractRow[] = rows.map(([endpoint, status, when, delivered]) => {
  return { endpoint, status, when, delivered }
})
