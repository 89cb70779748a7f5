import { type Analyzer, analyzerFor } from '../analysis/analyzer.ts'
import {
  type AnalyzerModule,
  importAnalyzer,
  namedIn,
  type OwnAnalyzer,
  ownAnalyzer,
} from '../analysis/own-analyzer.ts'
import { FindlingError } from '../errors.ts'
import { describeValue, invalid, problem } from '../input.ts'
import { didYouMean } from '../nearest-name.ts'
import type { Manifest } from '../store/manifest.ts'

/** A dataset as it is stored. */
type Entry = Manifest['datasets'][number]

interface Known {
  readonly own: OwnAnalyzer
  readonly module: AnalyzerModule
}

/** A module that does nothing: with it, indexes can be read, but their words cannot be searched. */
const standInUrl = 'data:text/javascript,export default { stem: term => term }'

/**
 * The custom analyzers that an engine was given. A dataset stores only the name and version of its analyzer: the location of
 * the module comes from the program, so that no store can cause code to be loaded.
 */
export class OwnAnalyzers {
  static readonly none = new OwnAnalyzers(new Map(), false)
  /** Stand-ins for all analyzers, to examine a store without their modules. */
  static readonly standIns = new OwnAnalyzers(new Map(), true)

  readonly #known: ReadonlyMap<string, Known>
  readonly #standsIn: boolean

  /** ANALYZER_FAILED */
  static async load(list: readonly OwnAnalyzer[]): Promise<OwnAnalyzers> {
    const known = new Map<string, Known>()
    for (const { name, version, url } of list) {
      const own = { name, version, url }
      known.set(name, { own, module: await importAnalyzer(own) })
    }
    return new OwnAnalyzers(known, false)
  }

  private constructor(known: ReadonlyMap<string, Known>, standsIn: boolean) {
    this.#known = known
    this.#standsIn = standsIn
  }

  /** Settings given by a caller, with the analyzer that they name. INVALID_ARGUMENT */
  chosen<Given extends object>(given: Given): Given {
    const { analyzer } = given as { analyzer?: unknown }
    if (analyzer === undefined || analyzer === null) return given
    const { name, version } = namedBy(analyzer)
    const own = typeof name === 'string' ? this.#known.get(name)?.own : undefined
    if (own && (version === undefined || version === own.version)) return { ...given, analyzer: own }
    const names = [...this.#known.keys()]
    const list = names.length === 0 ? ', but none was given' : `: ${names.join(', ')}`
    const guess = typeof name === 'string' && !own ? didYouMean(name, names) : ''
    const expected = own
      ? `version ${own.version}, which Engine.open was given`
      : `the name of an analyzer that Engine.open was given${list}${guess}`
    throw invalid('INVALID_ARGUMENT', 'dataset settings', [problem('analyzer', analyzer, expected)])
  }

  /** Stored settings with the analyzer as it was given to this engine. */
  located(settings: unknown): unknown {
    const stored = storedIn(settings)
    return stored ? { ...(settings as object), analyzer: this.#located(stored) } : settings
  }

  /**
   * The analyzer with which something was made, by its identity at that time; undefined for the analyzer of a language.
   * @throws FindlingError ANALYZER_MISSING
   */
  madeWith(identity: string, what: string): OwnAnalyzer | undefined {
    const made = namedIn(identity)
    if (!made) return undefined
    const own = this.#known.get(made.name)?.own
    if (own?.version === made.version) return own
    if (this.#standsIn) return { ...made, url: standInUrl }
    throw missing(what, made, ', or recreate it')
  }

  /** The analyzer for the words of queries. */
  wordsFor(analyzer: OwnAnalyzer | undefined): Analyzer {
    const plain = analyzerFor('none')
    const known = analyzer && this.#known.get(analyzer.name)
    return known ? ownAnalyzer(known.own, known.module, plain) : plain
  }

  /**
   * Refuses a store with datasets whose analyzers are not given. ANALYZER_MISSING, ANALYZER_CHANGED
   * @returns whether some were given in other versions, which were accepted
   */
  check(datasets: readonly Entry[], acceptsChanged: boolean): boolean {
    const changed = datasets.filter(entry => this.#isChanged(entry))
    if (changed.length > 0 && !acceptsChanged) throw otherVersion(changed[0]!, this.#known)
    return changed.length > 0
  }

  /** @throws FindlingError ANALYZER_MISSING */
  #isChanged(entry: Entry): boolean {
    const stored = storedIn(entry.settings)
    if (!stored || this.#standsIn) return false
    const own = this.#known.get(stored.name)?.own
    if (!own) throw missing(`The dataset ${entry.name}`, stored, '', { dataset: entry.name })
    return own.version !== stored.version
  }

  #located(stored: OwnAnalyzer): OwnAnalyzer {
    return this.#known.get(stored.name)?.own ?? { ...stored, url: standInUrl }
  }
}

function namedBy(given: unknown): { readonly name?: unknown; readonly version?: unknown } {
  return typeof given === 'object' && given !== null ? given : { name: given }
}

const storedIn = (settings: unknown): OwnAnalyzer | undefined =>
  (settings as { readonly analyzer?: OwnAnalyzer } | undefined | null)?.analyzer // as it was checked when it was stored

function missing(
  what: string,
  { name, version }: Pick<OwnAnalyzer, 'name' | 'version'>,
  orElse: string,
  more: { readonly dataset?: string } = {},
): FindlingError {
  const expected = `{ name: '${name}', version: ${version}, url } among the analyzers of Engine.open`
  const message = `${what} needs the analyzer ${name}, version ${version}, which was not given; expected ${expected}${orElse}.`
  const details = { field: 'analyzers', expected, analyzer: name, version, ...more }
  return new FindlingError('ANALYZER_MISSING', message, details)
}

function otherVersion({ name: dataset, settings }: Entry, known: ReadonlyMap<string, Known>): FindlingError {
  const { name, version } = storedIn(settings)!
  const received = known.get(name)!.own.version
  const expected = `version ${version}, or accept: ['ANALYZER_CHANGED'] to have the index rebuilt`
  const message = `The dataset ${dataset} was indexed with the analyzer ${name}, version ${version}, and version ${received} was given; expected ${expected}.`
  const details = {
    field: 'analyzers',
    received: describeValue(received),
    expected,
    dataset,
    analyzer: name,
    version,
  }
  return new FindlingError('ANALYZER_CHANGED', message, details)
}
