import { expect, test } from 'vitest'
import { routes } from '../routes/api.ts'

/** Contract, 12: what the calls of 1.5.0 are counted as. */
const actions: Record<string, readonly string[]> = {
  'DataSets/Get': ['GET /api/DataSets', 'GET /api/DataSets/{name}'],
  'DataSets/Post': ['POST /api/DataSets'],
  'DataSets/PostWithSchema': ['POST /api/DataSets/Schema'],
  'DataSets/Put': ['PUT /api/DataSets/{existingName}'],
  'DataSets/Delete': ['DELETE /api/DataSets/{name}'],
  'Tags/Get': ['GET /api/Tags', 'GET /api/Tags/{id}'],
  'Tags/Post': ['POST /api/Tags'],
  'Tags/Put': ['PUT /api/Tags/{id}'],
  'Tags/Delete': ['DELETE /api/Tags/{id}'],
  'TagsBulk/Post': ['POST /api/Tags/Bulk'],
  'TagsCleanDocuments/Post': ['POST /api/Tags/CleanDocuments'],
  'TagsExportWords/Post': ['POST /api/Tags/ExportWords'],
  'Documents/Get': ['GET /api/Documents/{id}'],
  'Documents/Post': ['POST /api/Documents'],
  'Documents/Put': ['PUT /api/Documents/{id}'],
  'Documents/Delete': ['DELETE /api/Documents/{id}'],
  'DocumentsBulk/Post': ['POST /api/Documents/Bulk'],
  'DocumentsFilter/Post': ['POST /api/Documents/Filter', 'POST /api/Documents/Filter/{scrollId}'],
  'DocumentsSample/Post': ['POST /api/Documents/Sample'],
  'DocumentsCopy/Post': ['POST /api/Documents/Copy'],
  'DocumentsMove/Post': ['POST /api/Documents/Move'],
  'Services/Get': ['GET /api/Services', 'GET /api/Services/{id}'],
  'Services/Post': ['POST /api/Services'],
  'Services/Put': ['PUT /api/Services/{id}'],
  'Services/Delete': ['DELETE /api/Services/{id}'],
  ...ofService('Classifier', ['Prepare', 'Activate', 'Deactivate', 'Recommend', 'ExportDictionaries']),
  ...ofService('Prc', ['Prepare', 'Activate', 'Deactivate', 'Keywords', 'Recommend', 'RecommendById']),
  ...ofService('Prc', ['Index', 'IndexPartial', 'ExportDictionaries']),
  ...ofService('Search', ['Prepare', 'Activate', 'Deactivate']),
  'Search/Search': ['POST /api/Services/Search/{id}'],
  'Processes/Get': ['GET /api/Processes', 'GET /api/Processes/{id}'],
  'Processes/Cancel': ['POST /api/Processes/{id}/Cancel'],
  'Statistics/Get': [
    'GET /api/Statistics',
    'GET /api/Statistics/{year}',
    'GET /api/Statistics/{year}/{month}',
  ],
  'Status/Get': ['GET /api/Status'],
  'License/Get': ['GET /api/License'],
  'License/Post': ['POST /api/License'],
  'Helper/Post': ['POST /api/Helper/FileParser'],
  'Maintenance/ChangeSecret': ['POST /api/Maintenance/ChangeSecret'],
  'Setup/Index': ['GET /setup', 'POST /setup'],
  'Setup/RequestOpenSourceLicense': ['POST /setup/RequestOpenSourceLicense'],
}

function ofService(type: string, calls: readonly string[]): Record<string, readonly string[]> {
  const posted = calls.map(call => [`${type}/${call}`, [`POST /api/Services/${type}/{id}/${call}`]])
  return Object.fromEntries([[`${type}/Get`, [`GET /api/Services/${type}/{id}`]], ...posted])
}

test.each(Object.entries(actions))('%s is what the contract counts', (action, endpoints) => {
  const counted = routes.filter(route => route.action === action && !route.extension)
  expect(counted.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...endpoints].sort())
})

test('calls of the contract are counted by no other names', () => {
  const others = routes.filter(({ action, extension, path }) => {
    return action !== '' && !extension && path !== '/update' && !Object.hasOwn(actions, action)
  })
  expect(others).toEqual([])
})
