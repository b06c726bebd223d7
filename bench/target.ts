// A program to be measured: it accepts the load's POSTs on a port and forwards them to the upstream.

import type { EndpointName } from './endpoints.ts'

/** The upstream without a proxy: the limit of upstream and load generator together. */
export const aloneName = 'upstream alone'

export interface Target {
  name: string
  /** A description for the table's legend. */
  about: string
  port: number
  /** Its one process, or the parent of its workers; null for the upstream alone. */
  pid: number | null
  /** Lines `name: value` that the load sends in addition to the common ones. */
  headers: string[]
  /** The hosts and tokens of the load: the file of the product, or the common one. */
  tokensFile: string
  /** How many of a hundred requests have a body that no other one has; none by default. */
  distinctPercent?: number
  /** Relays the short and the streamed answer unchanged; otherwise the short one only. */
  streams: boolean
  /** Rejects requests without a token. */
  isGuarded: boolean
  /** How its answer must agree with the upstream's: in its bytes, in what it says, or (if it says nothing) not. */
  agreesIn: 'bytes' | 'words' | 'nothing'
  /** The load goes here. */
  endpoint: EndpointName
  stop: () => Promise<void>
}

/** The others are references: one that cannot be measured is reported, and the run goes on. */
export function isProduct({ name }: { name: string }): boolean {
  return name.startsWith('Sallyport')
}
