// The management API as the screens call it: typed by the SDK, with the cookie session. If the session has expired, the
// call waits until the user has signed in again, then is sent once more, so that nothing typed is lost. So does a call
// that needs a recent sign-in.
import { createManagementClient, type ManagementClient, SallyportError } from '@sallyport/sdk'
import { newSignIn, stepUp } from './ask-user.ts'

const client = createManagementClient({ baseUrl: location.origin, cookie: true, timeoutMs: 60_000 })

/**
 * For calls that need no session: sign in, invitations, password resets, and the question whether there is a session.
 */
export const requestWithoutSession = client.request

async function send(...call: Parameters<typeof client.request>): Promise<unknown> {
  try {
    return await client.request(...call)
  } catch (error) {
    const reason = call[0] === 'GET' ? 'read' : 'write'
    if (error instanceof SallyportError && error.code === 'reauthenticate') await stepUp.ask(error, reason)
    else if (isUnauthorized(error) && !(await hasSession())) await newSignIn.ask(error, reason)
    else throw error
    return await client.request(...call)
  }
}

export const request = send as ManagementClient['request']

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
