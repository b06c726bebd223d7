// Carries errors from one process of this machine to another: name, message, codes and causes, and the classes that
// callers tell apart.
import { Refusal, type RefusalCode } from '../domain/errors.ts'
import { StoreUnavailable } from '../kv/store.ts'
import type { ErrorCodec } from '../sockets/link.ts'

interface Written {
  name: string
  message: string
  code?: unknown
  /** SQLite's own. */
  errcode?: unknown
  cause?: Written
}

const classes: Readonly<Record<string, ErrorConstructor>> = { RangeError, TypeError, SyntaxError }

export const errorCodec: ErrorCodec = { write, read: written => read(written as Written) }

export const firstProcessUnreachable = (): Error => new StoreUnavailable('no_answer')

function write(error: unknown): Written {
  if (!(error instanceof Error)) return { name: 'Error', message: 'something other than an error was thrown' }
  const { name, message, cause } = error
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return { name, message, code, errcode, ...(cause instanceof Error ? { cause: write(cause) } : {}) }
}

function read({ name, message, code, errcode, cause: writtenCause }: Written): Error {
  const cause = writtenCause === undefined ? undefined : read(writtenCause)
  if (name === 'StoreUnavailable') return new StoreUnavailable(code as string | undefined, cause)
  if (name === 'Refusal') return new Refusal(code as RefusalCode, cause === undefined ? {} : { cause })
  const error = new (classes[name] ?? Error)(message, { cause })
  if (code !== undefined) Object.assign(error, { code })
  if (errcode !== undefined) Object.assign(error, { errcode })
  return error
}
