// Reads whether a request may be answered from the cache: what its header says, else whether its answer is meant to be
// the same each time.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import { cacheHeader } from '../../call/inference-port.ts'
import type { Prompt } from '../../domain/conversation/prompt.ts'
import { Refusal } from '../../domain/errors.ts'

type RequestHeaders = AdmittedCall['request']['headers']

/** Throws if the header has another value than `use` and `no`. */
export function wantsCache(headers: RequestHeaders, { sampling }: Pick<Prompt, 'sampling'>): boolean {
  switch (headers[cacheHeader]) {
    case undefined:
      return sampling.temperature === 0
    case 'use':
      return true
    case 'no':
      return false
    default:
      throw new Refusal('invalid_request', { message: `${named} must be use or no`, param: named })
  }
}

const named = 'X-Sallyport-Cache'
