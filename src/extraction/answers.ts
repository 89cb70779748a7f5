import { StringDecoder } from 'node:string_decoder'
import * as z from 'zod'
import { errorCodes, FindlingError } from '../errors.ts'
import { type AnswerHead, ExchangeError, type Incoming } from './exchange.ts'
import type { ExtractedFile } from './reader/content.ts'

const told = z.string().nullable()

const answerHead: z.ZodType<AnswerHead> = z.union([
  z.strictObject({
    file: z.strictObject({
      title: told,
      author: told,
      date: told,
      keywords: told,
      contentType: z.string(),
      charset: told,
      language: told,
      length: z.int(),
    }),
    textBytes: z.int().min(0),
  }),
  z.strictObject({
    failure: z.strictObject({
      code: z.enum(errorCodes),
      message: z.string(),
      details: z.record(z.string(), z.json()),
    }),
  }),
])

/**
 * The answer of a process to a file. It is not trusted: an answer longer than the limits of the file allow is refused.
 * @param textLimit UTF-16 units
 * @throws FindlingError as reported by the process; ExchangeError if it is not an answer
 */
export async function answerFrom(incoming: Incoming, textLimit: number): Promise<ExtractedFile> {
  const { data: head } = answerHead.safeParse(await incoming.head())
  if (!head) throw new ExchangeError('a head of another form')
  if ('failure' in head) {
    const { code, message, details } = head.failure
    throw new FindlingError(code, message, details)
  }
  // A unit takes three bytes at most, and one line end may be added.
  if (head.textBytes > 3 * textLimit + 1) throw new ExchangeError(`a text of ${head.textBytes} bytes`)
  const decoder = new StringDecoder('utf8')
  let text = ''
  for await (const piece of incoming.pieces(head.textBytes)) text += decoder.write(piece)
  return { text, ...head.file }
}
