import type { JsonObject, MultiSearchRequest, MultiSearchResult } from './api/models.ts'
import { postSearchMulti } from './api/operations.ts'
import type { Configuration } from './configuration.ts'
import { type CallOptions, Connection } from './connection.ts'
import { Analytics } from './resources/analytics.ts'
import { DataSets } from './resources/data-sets.ts'
import { Dataset } from './resources/dataset.ts'
import { Files, Installation, Keys, Statistics } from './resources/installation.ts'
import { Processes } from './resources/processes.ts'
import { Services } from './resources/services.ts'
import type { Result } from './result.ts'

/** The whole API, with one configuration. */
export class Client {
  readonly connection: Connection
  readonly dataSets: DataSets
  readonly services: Services
  readonly processes: Processes
  readonly installation: Installation
  readonly statistics: Statistics
  readonly keys: Keys
  readonly analytics: Analytics
  readonly files: Files

  constructor(configuration: Configuration) {
    const connection = new Connection(configuration)
    this.connection = connection
    this.dataSets = new DataSets(connection)
    this.services = new Services(connection)
    this.processes = new Processes(connection)
    this.installation = new Installation(connection)
    this.statistics = new Statistics(connection)
    this.keys = new Keys(connection)
    this.analytics = new Analytics(connection)
    this.files = new Files(connection)
  }

  /**
   * A dataset by its name; makes no call.
   *
   * @example
   * const shop = client.dataset<Product>('shop')
   */
  dataset<T extends object = JsonObject>(name: string): Dataset<T> {
    return new Dataset<T>(this.connection, name)
  }

  /** Makes several searches, each in its `dataSet`, and answers them in their order. */
  multi(request: MultiSearchRequest, options?: CallOptions): Promise<Result<MultiSearchResult>> {
    return this.connection.send(postSearchMulti, { body: request }, options)
  }
}

/**
 * A client of an installation.
 *
 * @throws TypeError for an invalid configuration
 * @example
 * const client = createClient({ baseAddress: 'https://example.com/my-client', secret: 's3cr3t' })
 */
export function createClient(configuration: Configuration): Client {
  return new Client(configuration)
}
