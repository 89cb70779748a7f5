import { PassThrough } from 'node:stream'
import { type Observation, queryLog } from 'findling'
import { describeObserver } from './observer-suite.ts'

const everything = [
  'search',
  'list',
  'completion',
  'suggestion',
  'recommendation',
  'similar',
  'write',
] as const

describeObserver('an observer that keeps what it is told', async () => {
  const told: Observation[] = []
  return { observer: one => told.push(one), seen: async () => JSON.parse(JSON.stringify(told)) }
})

describeObserver('an observer that takes its time, and fails in the end', async () => {
  const told: Observation[] = []
  const observer = async (one: Observation) => {
    told.push(one)
    await new Promise(resolve => setTimeout(resolve, 5))
    throw new Error('the disk is full')
  }
  return { observer, seen: async () => JSON.parse(JSON.stringify(told)) }
})

describeObserver('a query log', async () => {
  const stream = new PassThrough({ highWaterMark: 2 ** 20 })
  let text = ''
  stream.setEncoding('utf8').on('data', part => {
    text += part
  })
  const seen = async () =>
    text
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
  return { observer: queryLog(stream, { types: everything }), seen }
})
