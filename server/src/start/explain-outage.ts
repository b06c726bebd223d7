// Explains why a start failed when a database or Redis stopped answering in the middle of it: whoever starts the
// product has to look there, and nothing is wrong with the product.
import { Refusal } from '../domain/errors.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { describeError } from '../storage/database-errors.ts'

/** Returns any other error unchanged. */
export function explainOutage(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { code, cause } = error
  const what = code === 'database_unavailable' ? 'The database' : code === 'store_unavailable' ? 'Redis' : null
  if (what === null) return error
  const why = cause instanceof Error ? `: ${describeError(cause)}` : ''
  return new StartupProblem(`${what} did not answer during the start${why}. Start again when it answers.`, error)
}
