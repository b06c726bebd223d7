// Stores a finished turn. If that fails, the client still gets its answer, but the operator must know.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import type { Log } from '../../domain/log.ts'
import { kindOfError, sparseLogOf } from '../../log/sparse-log.ts'

export async function keepOrLog(log: Log, { verified }: AdmittedCall, keep: () => Promise<void>): Promise<void> {
  try {
    await keep()
  } catch (error) {
    const fields = { request_id: verified.requestId, error }
    sparseLogOf(log).error('turn could not be stored', kindOfError(error), fields)
  }
}
