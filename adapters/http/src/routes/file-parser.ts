import { FileParserRequest, FileParserResult, fileBytes, fileParserResult } from '../wire/file-parser.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 6.9: reads the content of a file. Nothing is stored. */
export const fileParserRoute = defineRoute({
  method: 'POST',
  path: '/api/Helper/FileParser',
  action: 'Helper/Post',
  summary: 'Reads the text of a file, and what the file states about itself',
  body: FileParserRequest,
  bodySize: 'data',
  example: {
    body: { Content: Buffer.from('A garden hose of 25 m, with a nozzle of brass.\n').toString('base64') },
  },
  responses: {
    200: { when: 'The text of the file, and what it states about itself', body: FileParserResult },
    400: {
      when: 'The content is missing or is not base64 text, or the file is damaged, encrypted or of an unknown kind',
    },
  },
  handle: async ({ engine, body, caller, signal }) => {
    const bytes = await fileBytes(body)
    // Keys take turns: one that sends very many or slow files does not keep the others waiting.
    const file = await engine.extract(bytes, { owner: caller.id, signal })
    return { status: 200, body: fileParserResult(file) }
  },
})
