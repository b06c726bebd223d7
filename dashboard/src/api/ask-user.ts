// Questions that a call of the API puts to the user, over the page: each is one dialog for all calls that wait for it.

interface Waiting {
  promise: Promise<void>
  resolve: () => void
  reject: (error: unknown) => void
  error: unknown
}

function createQuestion() {
  let waiting: Waiting | null = null
  let isDeclined = false
  const cancelled = new WeakSet<object>()
  const listeners = new Set<() => void>()

  function change(next: Waiting | null): void {
    waiting = next
    for (const listener of listeners) listener()
  }

  return {
    /**
     * Resolves when the user has done it; rejects with `error` if they do not want to. After that a screen that reads
     * on a timer does not ask again; something that the user does, does.
     */
    ask(error: unknown, reason: 'read' | 'write'): Promise<void> {
      if (isDeclined && reason === 'read') return Promise.reject(error)
      if (waiting === null) change({ ...Promise.withResolvers<void>(), error })
      return waiting?.promise ?? Promise.reject(error)
    },

    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    /** The next call asks, although the user declined before: they ask for what needs it. */
    askAgain(): void {
      isDeclined = false
    },

    isAsked: (): boolean => waiting !== null,

    /** Whether the user closed the question that this error put. */
    isCancelled: (error: unknown): boolean => typeof error === 'object' && error !== null && cancelled.has(error),

    end(outcome: 'done' | 'cancelled'): void {
      const ended = waiting
      isDeclined = outcome === 'cancelled'
      change(null)
      if (outcome === 'done') ended?.resolve()
      else if (ended !== null) {
        if (typeof ended.error === 'object' && ended.error !== null) cancelled.add(ended.error)
        ended.reject(ended.error)
      }
    },
  }
}

/** After the session has expired: to sign in again. */
export const newSignIn = createQuestion()

/** Where a recent sign-in is needed: to prove who uses the session. */
export const stepUp = createQuestion()
