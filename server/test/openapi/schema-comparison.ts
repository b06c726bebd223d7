// Compares what the documented schema of an endpoint's body accepts with what its reader accepts.
import { expect } from 'vitest'
import { Refusal } from '../../src/domain/errors.ts'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import type { Endpoint } from '../../src/surfaces/surface.ts'
import { createValidator } from './validator.ts'

const settings = defaultSettings('https://dashboard.example.com')

export function createComparison({ description: { request, schemas }, estimate }: Endpoint) {
  const parts = { info: { title: '', version: '', description: '' }, servers: [], tags: [], paths: {} }
  const components = { securitySchemes: {}, schemas: { ...schemas } }
  const validator = createValidator({ openapi: '3.1.0', ...parts, components })

  function isRead(body: unknown): boolean {
    try {
      estimate(body).read(settings)
      return true
    } catch (error) {
      if (error instanceof Refusal && error.code === 'invalid_request') return false
      throw error
    }
  }

  /** How many bodies the reader accepted and rejected, so that a comparison of nothing fails. */
  function compare(bodies: readonly Record<string, unknown>[]): { accepted: number; rejected: number } {
    const counts = { accepted: 0, rejected: 0 }
    for (const body of bodies) {
      // A body travels as JSON.
      const sent: unknown = JSON.parse(JSON.stringify(body))
      const faults = validator.faultsOf(request.schema, sent)
      const accepts = isRead(sent)
      expect({ sent, accepts: faults.length === 0, faults }).toEqual({ sent, accepts, faults })
      counts[accepts ? 'accepted' : 'rejected']++
    }
    return counts
  }

  return { isRead, compare }
}
