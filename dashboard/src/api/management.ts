// The management API as the screens call it: typed by the SDK, with the cookie session. If the session has expired, the
// call waits until the user has signed in again, then is sent once more, so that nothing typed is lost. So does a call
// that needs a recent sign-in.
import { createManagementClient, type ManagementClient, SallyportError } from '@sallyport/sdk'
import { newSignIn, stepUp } from './ask-user.ts'

const options = { baseUrl: location.origin, cookie: true, timeoutMs: 60_000 }
const client = createManagementClient(options)

/**
 * For calls that need no session: sign in, invitations, password resets, and the question whether there is a session.
 */
export const requestWithoutSession = client.request

async function send(...call: Parameters<typeof client.request>): Promise<unknown> {
  return await askIfNeeded(call[0] === 'GET' ? 'read' : 'write', () => client.request(...call))
}

export const request = send as ManagementClient['request']

async function askIfNeeded<T>(reason: 'read' | 'write', call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof SallyportError && error.code === 'reauthenticate') await stepUp.ask(error, reason)
    else if (isUnauthorized(error) && !(await hasSession())) await newSignIn.ask(error, reason)
    else throw error
    return await call()
  }
}

/** Nothing of the export is sent: only an error has a body. */
async function fetchOnlyErrors(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const { ok } = await fetch(url, { ...init, method: 'HEAD' })
  const response = ok ? null : await fetch(url, init)
  if (response?.ok === false) return response
  await response?.body?.cancel()
  return Response.json(null)
}

const checkingClient = createManagementClient({ ...options, fetch: fetchOnlyErrors })

/** Throws the error with which the API would answer a download of this address. */
export async function checkDownload(address: string): Promise<void> {
  await askIfNeeded('write', () => checkingClient.request('GET', address as '/auth/v1/sessions/current'))
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof SallyportError && error.status === 401
}

/** A wrong current password is answered with 401, too, while the session is valid. */
async function hasSession(): Promise<boolean> {
  try {
    await client.request('GET', '/auth/v1/sessions/current')
    return true
  } catch (error) {
    if (isUnauthorized(error)) return false
    throw error
  }
}
