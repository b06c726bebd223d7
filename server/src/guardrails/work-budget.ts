// What the guardrails may spend on one request, counted in steps of work and not in time, so that the same text always
// has the same fate; and a breath for others where a text is long. Knows no guardrail.

/** Nobody has looked at the rest of the text: enforced guardrails refuse, shadow ones let pass and count. */
export class WorkBudgetExceeded extends Error {
  constructor() {
    super('a text costs more work than one request may')
    this.name = 'WorkBudgetExceeded'
  }
}

export interface WorkBudget {
  /** About one character read once is one step. Throws WorkBudgetExceeded. */
  spend(steps: number): void
  readonly spent: number
  /** To be awaited between slices: lets other requests run where this one has held the thread for long. */
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

/** `breathe` alone, for work that comes before there is a budget. */
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

/** Does the work to its end, with a breath wherever it yields. */
export async function breathing<Value>(work: Iterator<void, Value>, breathe: WorkBudget['breathe']): Promise<Value> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    // Nearly always there is nothing to wait for.
    const breath = breathe()
    if (breath !== undefined) await breath
  }
}
