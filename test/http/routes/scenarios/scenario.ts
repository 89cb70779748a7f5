import type { Api, Reply, Send, Sent } from '../api.ts'

/** What a scenario has to do with. */
export interface Scene {
  readonly api: Api
  readonly send: Send
  /** The same API on a disk that is nearly full. */
  readonly sendFull: Send
  /** Another API, whose engine keeps nothing of what people ask. */
  readonly sendWithout: Send
  /** A new named key, as what is to be sent with it. */
  readonly key: (about: object) => Promise<Sent>
  /** Name of a dataset of its own, as openShop() makes it. */
  readonly shop: string
}

/** Brings about one row of the contract's table and gives the answer. */
export type Scenario = (scene: Scene) => Promise<Reply>

/** By endpoint, then by status. */
export type Scenarios = Readonly<Record<string, Readonly<Record<number, Scenario>>>>
