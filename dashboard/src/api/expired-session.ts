// The state of the dialog that asks for a new sign-in after a session has expired: one dialog for all waiting calls.

interface Waiting {
  promise: Promise<void>
  resolve: () => void
  reject: (error: unknown) => void
  error: unknown
}

let waiting: Waiting | null = null
let isDeclined = false
const listeners = new Set<() => void>()

function change(next: Waiting | null): void {
  waiting = next
  for (const listener of listeners) listener()
}

/**
 * Resolves when the user has signed in again; rejects with `error` if they do not want to. After that a screen that
 * reads on a timer does not ask again; something that the user does, does.
 */
export function askToSignIn(error: unknown, reason: 'read' | 'write'): Promise<void> {
  if (isDeclined && reason === 'read') return Promise.reject(error)
  if (waiting === null) change({ ...Promise.withResolvers<void>(), error })
  return waiting?.promise ?? Promise.reject(error)
}

export function subscribeExpired(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const isSessionExpired = (): boolean => waiting !== null

export function endWaiting(outcome: 'signed-in' | 'cancelled'): void {
  const ended = waiting
  isDeclined = outcome === 'cancelled'
  change(null)
  if (outcome === 'signed-in') ended?.resolve()
  else ended?.reject(ended.error)
}
