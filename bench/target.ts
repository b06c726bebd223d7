// What can be measured: something that takes the load's POSTs on a port and hands them to the upstream.

/** The upstream without anything in front: what it and the load generator can do together. */
export const aloneName = 'upstream alone'

export interface Target {
  name: string
  /** What it is, for the table's legend. */
  about: string
  port: number
  /** Of its one process (or the parent of its workers); null for the upstream without anything in front. */
  pid: number | null
  /** Lines `name: value` that the load sends beside the common ones. */
  headers: string[]
  /** Which hosts and tokens the load uses: the file of the product it belongs to, or the common one. */
  tokensFile: string
  /** The short and the streamed answer unchanged, or the short one alone. */
  streams: boolean
  /** Refuses requests without a token. */
  isGuarded: boolean
  /** Passes the upstream's bytes on; who does not must still say its words. */
  keepsBytes: boolean
  stop: () => Promise<void>
}
