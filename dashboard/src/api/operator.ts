// The operator's routes. The secret is kept by the screen that asked for it, in memory only.
import { createManagementClient, type ManagementClient } from '@sallyport/sdk'
import { stepUp } from './ask-user.ts'
import { hasStatus } from './errors.ts'

/**
 * The SDK refuses the secret in pages, because a page of an application must not have it. The dashboard is the
 * operator's.
 */
export function createOperatorClient(secret: string): ManagementClient {
  return createManagementClient({
    baseUrl: location.origin,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers)
      headers.set('x-admin-secret', secret)
      return fetch(url, { ...init, headers, credentials: 'omit' })
    },
  })
}

/** Runs an operator's act by the own sign-in, which may be confirmed again. Others than operators get `refusal`. */
export async function runAsOperator(act: () => Promise<unknown>, refusal: string): Promise<void> {
  stepUp.askAgain()
  try {
    await act()
  } catch (error) {
    if (hasStatus(error, 401)) throw new Error(refusal)
    throw error
  }
}
