// Lists a project's diagnostics: what its configuration rejected, or did not know, in the last 24 hours.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { type Diagnostic, diagnosticKinds } from '../../kv/diagnostics.ts'
import { StoreUnavailable } from '../../kv/store.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'

const diagnosticSchema = z.object({
  kind: z.enum(diagnosticKinds),
  detail: z.string().meta({
    description:
      'The origin, issuer, audience, key id, host, tier, or the last four characters of the API key; `other` after 50 different ones in an hour',
  }),
  count: z.int(),
  last_seen_at: z.string(),
})

export function diagnosticRoutes({ kv }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/diagnostics',
      operation: 'listDiagnostics',
      summary: 'List rejected origins and tokens, and unknown tiers, of the last 24 hours, latest first',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      answers: { 200: z.object({ data: z.array(diagnosticSchema) }) },
      refusals: ['store_unavailable'],
      async handle({ owned }) {
        const found = await kv.findDiagnostics(owned.project.id).catch(refuseUnavailable)
        return { status: 200, body: { data: found.map(showDiagnostic) } }
      },
    }),
  ]
}

function refuseUnavailable(error: unknown): never {
  throw error instanceof StoreUnavailable ? new Refusal('store_unavailable', { cause: error }) : error
}

function showDiagnostic({ kind, detail, count, lastSeenAt }: Diagnostic) {
  return { kind, detail, count, last_seen_at: isoTime(lastSeenAt) }
}
