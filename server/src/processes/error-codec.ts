// Carries errors from one process of this machine to another, with the product's classes that callers tell apart.

import { Refusal, type RefusalCode } from '../domain/errors.ts'
import { StoreUnavailable } from '../kv/store.ts'
import type { ErrorCodec } from '../sockets/link.ts'
import { type CarriedError, carryError, uncarryError } from '../storage/carried/carried-error.ts'

export const errorCodec: ErrorCodec = { write: carryError, read: carried => read(carried as CarriedError) }

export const firstProcessUnreachable = (): Error => new StoreUnavailable('no_answer')

function read(carried: CarriedError): Error {
  const { name, code } = carried
  const cause = carried.cause === undefined ? undefined : read(carried.cause)
  if (name === 'StoreUnavailable') return new StoreUnavailable(code as string | undefined, cause)
  if (name === 'Refusal') return new Refusal(code as RefusalCode, cause === undefined ? {} : { cause })
  return uncarryError(carried, cause)
}
