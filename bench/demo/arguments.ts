import { parseArgs } from 'node:util'

export const usage = `npm run demo -- [--data <folder>] [--report] [--keep]

  --data   a folder with documents.jsonl (one { id, title, desc, tag } a line), or a folder of such folders;
           without it the sample catalogue of this repository is used
  --report says what is in the data and what is wrong with it, and writes it as an HTML file
  --keep   leaves the stores that were made and says where they are`

export interface Demo {
  readonly data: string | undefined
  readonly report: boolean
  readonly keep: boolean
  readonly help: boolean
}

/** What the one who started the demo can put right; its message is one line. */
export class WrongUse extends Error {}

export function readArguments(args: readonly string[]): Demo {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        data: { type: 'string' },
        report: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    return { data: values.data, report: values.report, keep: values.keep, help: values.help }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error // parseArgs refuses with TypeErrors
    const [whatIsWrong] = error.message.split(/[.\n]/, 1)
    throw new WrongUse(`${whatIsWrong}. Accepted: --data <folder>, --report, --keep, --help.`)
  }
}
