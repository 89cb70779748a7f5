import * as z from 'zod'
import { dataSetName } from './rules.ts'

/** Path members of routes that name a dataset. */
export const dataSetMember = z.object({ name: dataSetName })

const escaping = 'Percent-encoded. An id that is . or .. is written %252E or %252E%252E'

export const documentMember = z.object({ id: z.string().describe(`Id of a document. ${escaping}`) })

export const tagMember = z.object({ id: z.string().describe(`Id of a tag. ${escaping}`) })

export const scrollMember = z.object({ scrollId: z.string().describe('ScrollId of the latest answer') })

export const serviceMember = z.object({ id: z.string().describe('Id or alias of a service') })

export const processMember = z.object({
  id: z
    .string()
    .describe('Id of a process, from the answer to the call that started it or from the list of processes'),
})
