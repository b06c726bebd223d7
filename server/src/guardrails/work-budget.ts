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

const longestHoldMs = 5

export function createWorkBudget(maxSteps: number, now: () => number = () => performance.now()): WorkBudget {
  let spent = 0
  let heldSince = now()
  return {
    spend(steps) {
      spent += steps
      if (spent > maxSteps) throw new WorkBudgetExceeded()
    },
    get spent() {
      return spent
    },
    breathe() {
      if (now() - heldSince < longestHoldMs) return undefined
      return new Promise(resolve => {
        setImmediate(() => {
          heldSince = now()
          resolve()
        })
      })
    },
  }
}
