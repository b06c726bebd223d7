// Starts one of the other processes, and holds the first process's end of what connects them.
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import type { SocketHandle } from '../http/front/reserved-sockets.ts'
import { createLink, type Link } from '../sockets/link.ts'
import type { Family } from '../telemetry/registry.ts'
import { errorCodec, firstProcessUnreachable } from './error-codec.ts'
import { type FirstProcessCalls, linkDescriptor, numberArgument, socketMessage } from './protocol.ts'

export interface Child {
  readonly number: number
  readonly link: Link
  /** True when it accepts connections, false if it ended before. */
  readonly ready: Promise<boolean>
  readonly ended: Promise<ChildEnd>
  /** The last metrics that are known of it. */
  lastFamilies: Family[]
  drain(isReplaced: boolean): void
  kill(): void
}

interface ChildEnd {
  exitCode: number | null
  signal: NodeJS.Signals | null
}

interface ChildOptions {
  mainFile: string
  number: number
  version: string
  sockets: readonly SocketHandle[]
  collect(): Promise<Family[]>
  /** Writes the usage that the other processes buffer. */
  writeUsage(): Promise<void>
}

export function startChild({ mainFile, number, version, sockets, collect, writeUsage }: ChildOptions): Child {
  const running = fork(mainFile, [`${numberArgument}${number}`], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
  })
  const link = createLink(running.stdio[linkDescriptor] as Socket, {
    errors: errorCodec,
    unreachable: firstProcessUnreachable,
  })
  const { promise: isListening, resolve: listens } = Promise.withResolvers<true>()
  const ended = endOf(running)
  const child: Child = {
    number,
    link,
    ready: Promise.race([isListening, ended.then(() => false)]),
    ended,
    lastFamilies: [],
    drain: isReplaced => link.notify('drain', [isReplaced]),
    kill: () => running.kill('SIGKILL'),
  }
  const calls: FirstProcessCalls = {
    join(itsVersion) {
      if (itsVersion !== version) throw new Error('the processes of one machine must have the same version')
      for (const handle of sockets) running.send(socketMessage, handle as never)
      return sockets.length
    },
    ready: () => listens(true),
    collect,
    writeUsage,
    ending: families => {
      child.lastFamilies = families
    },
  }
  link.serve({ ...calls })
  return child
}

function endOf(running: ChildProcess): Promise<ChildEnd> {
  return new Promise(resolve => {
    running.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    // It could not be started at all.
    running.once('error', () => resolve({ exitCode: null, signal: null }))
  })
}
