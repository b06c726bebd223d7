// Starts one of the other processes, and holds the first process's end of what connects them.
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { SocketHandle } from '../http/front/reserved-sockets.ts'
import { createLink, type Link } from '../sockets/link.ts'
import type { Family } from '../telemetry/registry.ts'
import { errorCodec, firstProcessUnreachable } from './error-codec.ts'
import { type FirstProcessCalls, linkDescriptors, numberArgument, socketMessage } from './protocol.ts'

export interface Child {
  readonly number: number
  /** The name under which it reserves tokens and money. */
  readonly replicaId: string
  readonly link: Link
  /** True when it accepts connections, false if it ended before. */
  readonly ready: Promise<boolean>
  readonly ended: Promise<ChildEnd>
  /** Whether it accepts connections, or did until it ended. */
  hasStarted: boolean
  /** The last metrics that are known of it. */
  lastFamilies: Family[]
  drain(isReplaced: boolean): void
  kill(): void
}

export interface ChildEnd {
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

export function startChild(options: ChildOptions): Child {
  const { mainFile, number, version, sockets: listening, collect, writeUsage } = options
  const running = fork(mainFile, [`${numberArgument}${number}`], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe', 'pipe'],
  })
  const [input, output] = [linkDescriptors.output, linkDescriptors.input].map(at => running.stdio[at] as Socket)
  const sockets = { input: input as Socket, output: output as Socket }
  const link = createLink(sockets, { errors: errorCodec, unreachable: firstProcessUnreachable })
  const { promise: isListening, resolve: listens } = Promise.withResolvers<true>()
  const ended = endOf(running)
  const child: Child = {
    number,
    replicaId: randomUUID(),
    link,
    ready: Promise.race([isListening, ended.then(() => false)]),
    ended,
    hasStarted: false,
    lastFamilies: [],
    drain: isReplaced => link.notify('drain', [isReplaced]),
    kill: () => running.kill('SIGKILL'),
  }
  const calls: FirstProcessCalls = {
    join(itsVersion) {
      if (itsVersion !== version) throw new Error('the processes of one machine must have the same version')
      for (const handle of listening) running.send(socketMessage, handle as never)
      return { sockets: listening.length, replicaId: child.replicaId }
    },
    ready() {
      child.hasStarted = true
      listens(true)
    },
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
