// Rejects text that PostgreSQL cannot store before either database gets it.
import { Refusal } from '../domain/errors.ts'

export function refuseNul(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter === 'string' && parameter.includes('\0')) {
      throw new Refusal('validation_failed', { message: 'Text must not contain NUL characters' })
    }
  }
}
