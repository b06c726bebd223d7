// Mints a token for the caller's own use of a project: for command lines, coding agents and scripts. Its user is the
// account, so limits, usage and blocks apply as they do to everybody.

import { z } from 'zod'
import { getChecked } from '../../../domain/checked.ts'
import { Refusal } from '../../../domain/errors.ts'
import { parseMintRequest } from '../../../domain/mint-request.ts'
import { transact } from '../../../storage/transact.ts'
import type { ManagementDependencies } from '../../dependencies.ts'
import type { Caller } from '../../plane/caller.ts'
import { type Route, route } from '../../plane/route.ts'
import { createIssue, issuedSchema } from './issue-token.ts'

const bodySchema = z.looseObject({}).meta({
  properties: {
    ttl: { type: 'integer', minimum: 60, maximum: 86_400, default: 3600 },
    tier: { type: 'string', maxLength: 255 },
  },
})
const ownTokenSchema = issuedSchema.extend({
  uid: z.string().meta({ description: "The account's email; of a service account `svc:` and its id" }),
})

export function ownTokenRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  const issue = createIssue(management)
  return [
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/tokens',
      operation: 'mintOwnToken',
      summary: "Mint a token for the caller's own use of the project",
      audit: { action: 'token.mint' },
      credential: 'session',
      owner: 'project',
      permission: 'tokens:mint',
      body: bodySchema,
      answers: { 200: ownTokenSchema },
      refusals: ['settings_not_found', 'project_suspended', 'mint_user_blocked', 'mint_rate_limited'],
      async handle({ owned: { project }, caller, body }) {
        if (project.status === 'suspended') throw new Refusal('project_suspended')
        const settings = await sql
          .selectFrom('settings')
          .select('deployed_at')
          .where('project_id', '=', project.id)
          .executeTakeFirst()
        if (settings === undefined) throw new Refusal('settings_not_found')
        const uid = userIdOf(caller)
        const { ttl, tier } = body
        // Whoever has an account may have a reserved word as its email's first part, never as all of it.
        // The account's name is not checked as those of end users are: it may be one that they cannot have.
        const request = getChecked(parseMintRequest(withoutAbsent({ user_id: 'account', ttl, tier }), 'user'))
        const place = { projectId: project.id, tenantId: project.tenant_id, slug: project.slug }
        const minting = { ...place, deployedAt: settings.deployed_at }
        const minted = await issue(minting, `mint-own:${uid}`, { ...request, user_id: uid })
        // Records that it was minted.
        await transact(sql, async () => undefined)
        return { status: 200, body: { ...minted, uid } }
      },
    }),
  ]
}

/** The prefix is reserved: no end user can have it. */
function userIdOf({ serviceAccount, email }: Caller): string {
  return serviceAccount === null ? email : `svc:${serviceAccount.id}`
}

function withoutAbsent(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
