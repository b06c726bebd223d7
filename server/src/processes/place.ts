// Which of the processes of one machine this one is, and what that means for its parts.
import type { SocketHandle } from '../http/front/reserved-sockets.ts'
import type { Link } from '../sockets/link.ts'
import type { Family } from '../telemetry/registry.ts'

/** Reads the metrics of this process. */
export type ReadFamilies = () => Family[]

export type ProcessPlace =
  /** The one process of a start with PROCESSES=1. */
  | { kind: 'only' }
  /** Owns what exists once on a machine, and starts the others. */
  | {
      kind: 'first'
      /** The number of sockets on the port; each gets the same share of the connections. */
      socketCount: number
      /** Returns the metrics of all processes. */
      collect(own: ReadFamilies): Promise<Family[]>
      /** Resolves when the other processes have written the usage that they buffer. */
      writeUsageOfOthers(): Promise<void>
      /** What keeps the processes from being ready. */
      readiness(): readonly string[]
      /** Lets the others drain, and resolves when they have ended. */
      stopOthers(): Promise<void>
    }
  | {
      kind: 'other'
      /** To the first process. */
      link: Link
      /** The name under which this process reserves tokens and money. */
      replicaId: string
      sockets: readonly SocketHandle[]
      collect(own: ReadFamilies): Promise<Family[]>
      /** Resolves when the other processes have written the usage that they buffer. */
      writeUsageOfOthers(): Promise<void>
      /** What keeps the first process from being ready. */
      readiness(): readonly string[]
    }

export const onlyProcess: ProcessPlace = { kind: 'only' }
