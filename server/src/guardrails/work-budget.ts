// Limits the work of the guardrails on one request, in steps and not in time, so that the same text always has the same
// result; and yields the thread during long texts.

/**
 * The rest of the text was not scanned: enforced guardrails reject the request, shadow ones let it pass and count it.
 */
export class WorkBudgetExceeded extends Error {
  constructor() {
    super('a text costs more work than one request may')
    this.name = 'WorkBudgetExceeded'
  }
}

export interface WorkBudget {
  /** One step is about one character read once. Throws WorkBudgetExceeded. */
  spend(steps: number): void
  readonly spent: number
  /** Await this between slices: lets other requests run if this one has held the thread for long. */
  breathe(): Promise<void> | undefined
}

const maxHoldMs = 5

export function createWorkBudget(maxSteps: number, now?: () => number): WorkBudget {
  let spent = 0
  return {
    spend(steps) {
      spent += steps
      if (spent > maxSteps) throw new WorkBudgetExceeded()
    },
    get spent() {
      return spent
    },
    breathe: createBreath(now),
  }
}

/** Only `breathe`, for work before the budget exists. */
export function createBreath(now: () => number = () => performance.now()): WorkBudget['breathe'] {
  let heldSince = now()
  return () => {
    if (now() - heldSince < maxHoldMs) return undefined
    return new Promise(resolve => {
      setImmediate(() => {
        heldSince = now()
        resolve()
      })
    })
  }
}

/** Runs the work to its end, and calls `breathe` at each yield. */
export async function breathing<Value>(work: Iterator<void, Value>, breathe: WorkBudget['breathe']): Promise<Value> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    // Awaiting undefined would cost a microtask.
    const breath = breathe()
    if (breath !== undefined) await breath
  }
}
