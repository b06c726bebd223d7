// What a check of `doctor` found, and the page that says how to mend it.
import { SallyportError } from '@sallyport/sdk'
import { Failure } from '../../frame/failure.ts'

export interface Finding {
  check: string
  status: 'ok' | 'warning' | 'failed'
  message: string
  /** Below the documentation of the installation. */
  page: string | null
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message, page: null })
export const warning = (check: string, message: string, page: string): Finding => ({
  check,
  status: 'warning',
  message,
  page,
})
export const failed = (check: string, message: string, page: string): Finding => ({
  check,
  status: 'failed',
  message,
  page,
})

/** A check that cannot be made is a finding too: others may still say why. */
export async function examine(check: string, page: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SallyportError || error instanceof Failure || isSystemError(error)) {
      return [failed(check, error.message, page)]
    }
    throw error
  }
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && ('code' in error || error.cause instanceof Error)
}
