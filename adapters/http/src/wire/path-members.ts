import * as z from 'zod'
import { dataSetName } from './rules.ts'

/** Of paths that name a dataset. */
export const dataSetMember = z.object({ name: dataSetName })

const escaping = 'Percent-encoded; a dot alone as %252E, two dots as %252E%252E'

export const documentMember = z.object({ id: z.string().describe(`Id of a document. ${escaping}`) })

export const tagMember = z.object({ id: z.string().describe(`Id of a tag. ${escaping}`) })

export const processMember = z.object({
  id: z.string().describe('Id of a process, as the call that started it answers, or the list of processes'),
})
