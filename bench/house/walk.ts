/** Is told when a function begins, and gives what has to be called when it has ended. */
export interface Tracer {
  enter(file: string): () => void
}

/** The way of a call through the folders of the sources. */
export interface Walk {
  /** At every depth, in the order in which they are first entered. */
  readonly folders: readonly string[]
  /** Those that are entered again, after the walk has led on to a folder where it had not been before. */
  readonly again: readonly string[]
  /** Those that are called from a folder that they have called themselves, as callbacks are: `a to b`. */
  readonly up: readonly string[]
  /** Files beside the folders and in `arrays/` and `scheduling/`: the way in, and what all others stand on. They are passed through, not entered. */
  readonly beside: readonly string[]
}

interface Stay {
  readonly folder: string
}

const nothing = (): void => {}

const isGround = (folder: string): boolean => /(^|\/)src\/((arrays|scheduling)\/)?$/.test(folder)

/** The first of the folders below `src`: one for each thing that is done. */
export const roomsOf = ({ folders }: Walk): string[] => [
  ...new Set(folders.map(folder => /^(?:.*\/)?src\/[^/]+\//.exec(folder)?.[0] ?? folder)),
]

/**
 * Follows one call at a time. A folder is stayed in while one of its functions is under way, so a function that calls other
 * folders step by step does not enter its own again between them; nor does one that calls the same folder in a loop.
 */
export class WalkTracer implements Tracer {
  readonly #stays: Stay[] = []
  readonly #folders: string[] = []
  /** By folder: how many were known when it was last stayed in. */
  readonly #lastKnown = new Map<string, number>()
  readonly #again = new Set<string>()
  readonly #up = new Set<string>()
  readonly #beside = new Set<string>()

  enter(file: string): () => void {
    const folder = file.slice(0, file.lastIndexOf('/') + 1)
    if (isGround(folder)) {
      this.#beside.add(file)
      return nothing
    }
    const from = this.#stays.at(-1)?.folder
    if (from !== folder) this.#step(folder, from)
    const stay = { folder }
    this.#stays.push(stay)
    return () => {
      // Not always the last: of calls that wait for each other, the first may end first.
      this.#stays.splice(this.#stays.lastIndexOf(stay), 1)
      this.#lastKnown.set(folder, this.#folders.length)
    }
  }

  get walk(): Walk {
    return {
      folders: this.#folders,
      again: [...this.#again],
      up: [...this.#up],
      beside: [...this.#beside],
    }
  }

  #step(folder: string, from: string | undefined): void {
    const isUnderWay = this.#stays.some(stay => stay.folder === folder)
    const known = this.#lastKnown.get(folder)
    if (isUnderWay) this.#up.add(`${from} to ${folder}`)
    else if (known === undefined) this.#folders.push(folder)
    else if (known < this.#folders.length) this.#again.add(folder)
    this.#lastKnown.set(folder, this.#folders.length)
  }
}
