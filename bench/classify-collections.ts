import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClassifyCollection, Labelled } from './labelled.ts'
import { MadeCatalogue } from './made-catalogue.ts'

/** Sets of short questions and of products, by name; ESCI's tree has many tags for few documents each, or few roots. */
export const classifyCollections = [
  'banking77',
  'fashion-styles',
  'pricerunner',
  'esci-us-small roots',
  'esci-us-small leaves',
] as const

/** Those that lie in this folder. */
export const collectionsIn = (evaluationData: string | undefined): string[] =>
  evaluationData === undefined
    ? []
    : classifyCollections.filter(name => existsSync(join(evaluationData, folderOf(name))))

const folderOf = (name: string): string => name.split(' ')[0]!

/** `made 30k`: of the generated catalogue, which needs no data. */
export function readCollection(evaluationData: string | undefined, name: string): ClassifyCollection {
  const made = /^made (\d+)$/.exec(name)
  if (made) return new MadeCatalogue().collection(Number(made[1]))
  const folder = join(evaluationData!, folderOf(name))
  if (name === 'banking77')
    return { train: questions(join(folder, 'train.tsv')), test: questions(join(folder, 'test.tsv')) }
  const part = new Map(rows(join(folder, 'split.tsv')).map(([id, part]) => [id!, part!]))
  const documents = lines(join(folder, 'documents.jsonl')).map((line): Listed => JSON.parse(line))
  const labelled = (wanted: string) =>
    documents.flatMap(({ id, title, desc, tag, path }) => {
      const own = name.endsWith('roots') ? path?.[0] : tag?.[0]
      return own === undefined || part.get(id) !== wanted ? [] : [{ texts: [title, desc ?? ''], tag: own }]
    })
  return { train: labelled('train'), test: labelled('test') }
}

interface Listed {
  readonly id: string
  readonly title: string
  readonly desc?: string
  readonly tag?: readonly string[]
  readonly path?: readonly string[]
}

const questions = (path: string): Labelled[] =>
  rows(path).map(([tag, text]) => ({ texts: [text!], tag: tag! }))

const rows = (path: string): string[][] => lines(path).map(line => line.split('\t'))

const lines = (path: string): string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean)
