// Formats errors for clients: the management API's format and the gateway's. Each inbound wire format in `surfaces/`
// adds one.

import type { ErrorResponse } from '../../../sdk/src/wire.ts'
import { isRetryFutile, type Refusal } from '../domain/errors.ts'

export interface ErrorFormat {
  errorBody(refusal: Refusal, requestId: string): unknown
  /** Headers that only clients of this format understand. */
  errorHeaders(refusal: Refusal): Readonly<Record<string, string>>
}

export const managementErrors: ErrorFormat = {
  errorBody({ message, row, details }) {
    const body: ErrorResponse = {
      error: message,
      code: row.code,
      retryable: row.retryable,
      upgrade_url: details.upgradeUrl,
      ...details.secondFactor,
    }
    return body
  },
  errorHeaders: ({ row }) => (row.status === 401 ? bearerScheme : noHeaders),
}

export const gatewayErrors: ErrorFormat = {
  errorBody: ({ word, message }) => ({ error: word, message }),
  errorHeaders: retryHint,
}

const noHeaders = {}
const bearerScheme = { 'www-authenticate': 'Bearer' }
const noRetry = { 'x-should-retry': 'false' }

/** For inference clients, which retry by themselves. */
export function retryHint(refusal: Refusal): Readonly<Record<string, string>> {
  return isRetryFutile(refusal) ? noRetry : noHeaders
}
