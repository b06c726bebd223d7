// Joins one of the other processes to the first one: gets its sockets, drains when it is asked to, and ends with the
// first process.
import { Socket } from 'node:net'
import type { Log } from '../domain/log.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import type { SocketHandle } from '../http/front/reserved-sockets.ts'
import { createLink, type Link } from '../sockets/link.ts'
import type { Family } from '../telemetry/registry.ts'
import { errorCodec, firstProcessUnreachable } from './error-codec.ts'
import type { ProcessPlace } from './place.ts'
import { type Joined, linkDescriptors, numberArgument, type OtherProcessCalls, socketMessage } from './protocol.ts'

interface OtherProcessParts {
  families(): Family[]
  writeUsage(): Promise<void>
  stop(isReplaced: boolean): Promise<void>
}

export interface OtherProcess {
  readonly place: ProcessPlace
  /** Reports that this process accepts connections. */
  reportReady(parts: OtherProcessParts): void
}

/** `onFirstEnded` is called when the first process has ended. */
export async function joinFirstProcess(version: string, log: Log, onFirstEnded: () => void): Promise<OtherProcess> {
  if (process.send === undefined) {
    throw new StartupProblem(`${numberArgument} is for processes that Sallyport starts itself; set PROCESSES instead.`)
  }
  const linkSockets = {
    input: new Socket({ fd: linkDescriptors.input, writable: false }),
    output: new Socket({ fd: linkDescriptors.output, readable: false }),
  }
  const link = createLink(linkSockets, { errors: errorCodec, unreachable: firstProcessUnreachable })
  void link.closed.then(onFirstEnded)
  let reasons: readonly string[] = ['first_process']
  let isDraining = false
  const sockets = receiveSockets()
  const joined = (await link.call('join', [version])) as Joined
  const calls: OtherProcessCalls = {
    setReadiness: given => {
      reasons = given
    },
    // Nothing to count, to write or to drain yet.
    families: () => [],
    writeUsage: () => Promise.resolve(),
    drain: () => process.exit(0),
  }
  link.serve({ ...calls })
  return {
    place: {
      kind: 'other',
      link,
      replicaId: joined.replicaId,
      sockets: await sockets(joined.sockets),
      collect: () => link.call('collect', []) as Promise<Family[]>,
      writeUsageOfOthers: () => link.call('writeUsage', []) as Promise<void>,
      readiness: () => reasons,
    },
    reportReady({ families, writeUsage, stop }) {
      link.serve({
        families,
        writeUsage,
        drain: (isReplaced: boolean) => {
          if (isDraining) return
          isDraining = true
          log.info('stopping')
          void end(link, families, () => stop(isReplaced), log)
        },
      })
      link.notify('ready', [])
    },
  }
}

async function end(link: Link, families: () => Family[], stop: () => Promise<void>, log: Log): Promise<void> {
  let exitCode = 0
  try {
    await stop()
    await link.call('ending', [families()])
  } catch (error) {
    log.error('shutdown failed', { error })
    exitCode = 1
  }
  process.exit(exitCode)
}

/** Returns a function that waits for so many sockets. */
function receiveSockets(): (count: number) => Promise<SocketHandle[]> {
  const received: SocketHandle[] = []
  let onReceived = (): void => undefined
  process.on('message', (message, handle) => {
    if (message !== socketMessage || handle === undefined) return
    received.push(handle as unknown as SocketHandle)
    onReceived()
  })
  return count =>
    new Promise(resolve => {
      onReceived = () => {
        if (received.length === count) resolve(received)
      }
      onReceived()
    })
}
