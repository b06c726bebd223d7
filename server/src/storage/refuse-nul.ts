// Text that PostgreSQL cannot keep is refused before either database sees it. Knows only the parameters of one statement.
import { Refusal } from '../domain/errors.ts'

export function refuseNul(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter === 'string' && parameter.includes('\0')) {
      throw new Refusal('validation_failed', { message: 'Text must not contain NUL characters' })
    }
  }
}
