// Compares what the documented schema of an endpoint's body accepts with what its reader accepts.
import { expect } from 'vitest'
import { Refusal } from '../../src/domain/errors.ts'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import { openBody } from '../../src/surfaces/open-body.ts'
import type { Endpoint } from '../../src/surfaces/surface.ts'
import { createValidator } from './validator.ts'

const settings = defaultSettings('https://dashboard.example.com')
const live = { project_id: 'p', prompts: [], deployment: null }

export function createComparison(endpoint: Endpoint) {
  const { request, schemas } = endpoint.description
  const parts = { info: { title: '', version: '', description: '' }, servers: [], tags: [], paths: {} }
  const components = { securitySchemes: {}, schemas: { ...schemas } }
  const validator = createValidator({ openapi: '3.1.0', ...parts, components })

  async function isRead(body: unknown): Promise<boolean> {
    try {
      const bytes = Buffer.from(JSON.stringify(body))
      const { estimated } = await openBody(endpoint, { value: body, bytes }, { live, settings }, async () => null)
      estimated.read(settings)
      return true
    } catch (error) {
      // Which prompts there are is not the schema's to say.
      if (error instanceof Refusal && error.code === 'prompt_not_found') return true
      if (error instanceof Refusal && error.code === 'invalid_request') return false
      throw error
    }
  }

  /** How many bodies the reader accepted and rejected, so that a comparison of nothing fails. */
  async function compare(bodies: readonly Record<string, unknown>[]): Promise<{ accepted: number; rejected: number }> {
    const counts = { accepted: 0, rejected: 0 }
    for (const body of bodies) {
      // A body travels as JSON.
      const sent: unknown = JSON.parse(JSON.stringify(body))
      const faults = validator.faultsOf(request.schema, sent)
      const accepts = await isRead(sent)
      expect({ sent, accepts: faults.length === 0, faults }).toEqual({ sent, accepts, faults })
      counts[accepts ? 'accepted' : 'rejected']++
    }
    return counts
  }

  return { isRead, compare }
}
