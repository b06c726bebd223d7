// What the processes of one machine call of each other, apart from the store and the database.
import type { Family } from '../telemetry/registry.ts'

/** Functions of the first process. */
export interface FirstProcessCalls {
  /** Rejected if the versions differ. */
  join(version: string): Joined
  /** The caller accepts connections. */
  ready(): void
  /** The metrics of all processes. */
  collect(): Promise<Family[]>
  /** All processes except the caller write the usage that they buffer. */
  writeUsage(): Promise<void>
  /** The last metrics of a process that has drained. */
  ending(families: Family[]): void
}

export interface Joined {
  /** How many sockets follow, each as a message with a handle. */
  sockets: number
  /** The name under which the process reserves tokens and money. */
  replicaId: string
}

/** Functions of the others. */
export interface OtherProcessCalls {
  families(): Family[]
  /** Writes the usage that this process buffers. */
  writeUsage(): Promise<void>
  /** Stops serving; `isReplaced` if a successor accepts connections already. */
  drain(isReplaced: boolean): void
  setReadiness(reasons: string[]): void
}

/** The message that carries a socket; the handle comes beside it. */
export const socketMessage = 'socket'
/** The file descriptors of the link in the other processes. */
export const linkDescriptors = { input: 4, output: 5 }
/** The argument with which the first process starts the others. */
export const numberArgument = '--process='

/** Null without the argument of the other processes. */
export function findProcessNumber(args: readonly string[]): number | null {
  const [argument] = args
  if (args.length !== 1 || !argument?.startsWith(numberArgument)) return null
  const number = Number(argument.slice(numberArgument.length))
  return Number.isInteger(number) && number > 1 ? number : null
}
