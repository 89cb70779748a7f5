import type { Engine } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import type { Route } from '../route.ts'
import { exampleSchema, exampleSettings, sampleDataset, sampleProduct } from '../sample/example.ts'
import {
  DataSet,
  DataSetBySample,
  DataSetBySchema,
  DataSetUpdate,
  dataSetModel,
  shapeRule,
} from '../wire/datasets.ts'
import type { Origins } from '../wire/origins.ts'
import { dataSetMember } from '../wire/path-members.ts'
import { dataSetName } from '../wire/rules.ts'
import { settingsIn, settingsOrigins } from '../wire/settings.ts'
import { requireBaskets } from './basket-rights.ts'
import { defineRoute } from './define-route.ts'

const badName = { when: 'The name is not a valid dataset name' }
const noDataSet = { when: 'There is no such dataset' }

const origins: Origins = {
  ...settingsOrigins,
  sample: { content: 'SampleDocument' },
  schema: { content: 'Schema' },
}

/** Contract, 3 and 20. */
export const dataSetRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/DataSets',
    action: 'DataSets/Get',
    summary: 'Lists the datasets by name',
    responses: { 200: { when: 'All datasets that the key may use', body: z.array(DataSet) } },
    handle: async ({ engine: { datasets }, caller }) => {
      const names = datasets.list().flatMap(({ name }) => (caller.isFor(name) ? name : []))
      return { status: 200, body: names.map(name => dataSetModel(datasets.get(name))) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/DataSets',
    action: 'DataSets/Post',
    summary: 'Creates a dataset for documents like a sample',
    writes: true,
    body: DataSetBySample,
    bodySize: 'settings',
    origins,
    example: { body: { Name: 'first', ...exampleSettings, SampleDocument: sampleProduct } },
    responses: {
      201: { when: 'The dataset is created' },
      400: { when: 'The body is invalid, or the sample is missing or does not match the fields' },
      409: { when: 'The name is taken' },
    },
    handle: ({ engine, body, caller }) => {
      requireBaskets(body, caller)
      return create(engine, body, 'SampleDocument')
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/DataSets/Schema',
    action: 'DataSets/PostWithSchema',
    summary: 'Creates a dataset for documents that follow a JSON schema',
    writes: true,
    body: DataSetBySchema,
    bodySize: 'settings',
    origins,
    example: { body: { Name: 'second', ...exampleSettings, Schema: exampleSchema } },
    responses: {
      201: { when: 'The dataset is created' },
      400: { when: 'The body is invalid, or the schema is missing or does not match the fields' },
      409: { when: 'The name is taken' },
    },
    handle: ({ engine, body, caller }) => {
      requireBaskets(body, caller)
      return create(engine, body, 'Schema')
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/DataSets/{name}/Swap/{other}',
    action: 'DataSets/Swap',
    summary: 'Exchanges the names of two datasets in one step',
    extension: true,
    members: z.object({ name: dataSetName, other: dataSetName }),
    example: { path: { name: 'first', other: 'second' } },
    writes: true,
    responses: {
      200: { when: 'Each dataset now has the name of the other' },
      400: { when: 'One of the names is not a valid dataset name' },
      404: { when: 'One of the datasets does not exist' },
    },
    handle: async ({ engine, path }) => {
      await engine.datasets.swap(path.name, path.other)
      return { status: 200 }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/DataSets/{name}',
    action: 'DataSets/Get',
    summary: 'Reads a dataset',
    members: dataSetMember,
    example: { path: { name: sampleDataset } },
    responses: { 200: { when: 'The dataset', body: DataSet }, 400: badName, 404: noDataSet },
    handle: async ({ engine, path }) => ({
      status: 200,
      body: dataSetModel(engine.datasets.get(path.name)),
    }),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/DataSets/{existingName}',
    action: 'DataSets/Put',
    summary: 'Renames a dataset',
    members: z.object({ existingName: dataSetName }),
    writes: true,
    body: DataSetUpdate,
    example: { path: { existingName: 'second' }, body: { Name: 'third' } },
    responses: {
      200: { when: 'The dataset has the new name' },
      304: { when: 'Both names are the same' },
      400: { when: 'One of the names is not a valid dataset name' },
      404: noDataSet,
      409: { when: 'The new name is taken' },
    },
    handle: ({ engine, path, body }) => rename(engine, path.existingName, body.Name),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/DataSets/{name}',
    action: 'DataSets/Delete',
    summary: 'Removes a dataset with its documents and tags',
    members: dataSetMember,
    example: { path: { name: 'third' } },
    responses: {
      200: { when: 'The dataset is removed' },
      400: badName,
      404: noDataSet,
      406: { when: 'A service was prepared from this dataset' },
    },
    handle: async ({ engine, path }) => {
      await engine.datasets.remove(path.name)
      return { status: 200 }
    },
  }),
]

/** A taken name is reported before any problem with sample or schema (contract, 3.4). */
async function create(
  { datasets }: Engine,
  { Name, SampleDocument, Schema, ...settings }: z.output<typeof DataSetBySample>,
  shape: 'SampleDocument' | 'Schema',
): Promise<{ status: 201 }> {
  if (datasets.has(Name)) throw new HttpError(409, `A dataset named ${Name} already exists.`)
  const given = (shape === 'Schema' ? Schema : SampleDocument) ?? missing(shape)
  await datasets.create(Name, {
    ...settingsIn(settings),
    [shape === 'Schema' ? 'schema' : 'sample']: given,
    validation: 'strict',
  })
  return { status: 201 }
}

function missing(member: string): never {
  throw new HttpError(400, `${member} is missing; expected ${shapeRule}`)
}

async function rename({ datasets }: Engine, from: string, to: string): Promise<{ status: 200 | 304 }> {
  datasets.has(from) // throws if it is not a valid name
  if (from === to) return { status: 304 }
  await datasets.rename(from, to)
  return { status: 200 }
}
