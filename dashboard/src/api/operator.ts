// The operator's routes. The secret is kept by the screen that asked for it, in memory only.
import { createManagementClient, type ManagementClient } from '@sallyport/sdk'

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
