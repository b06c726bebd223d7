// Mints short-lived tokens for end users, in exchange for a project's API key, which a server holds. The management
// host and the project's own host use the same code.

import { z } from 'zod'
import type { MintResponse, MintRequest as WireRequest } from '../../../../../sdk/src/wire.ts'
import { getChecked } from '../../../domain/checked.ts'
import { parseMintRequest } from '../../../domain/mint-request.ts'
import { roles } from '../../../domain/role.ts'
import type { ManagementDependencies } from '../../dependencies.ts'
import { type Route, type RouteInput, route } from '../../plane/route.ts'
import { createIssue, issuedSchema } from './issue-token.ts'

const bodySchema = z.looseObject({}).meta({
  properties: {
    user_id: { type: 'string', minLength: 1, maxLength: 255 },
    role: { type: 'string', enum: [...roles], description: 'Default: the role of the API key' },
    ttl: { type: 'integer', minimum: 60, maximum: 86_400, default: 3600 },
    tier: { type: 'string', maxLength: 255 },
    session_id: { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  } satisfies Record<keyof WireRequest, object>,
  required: ['user_id'],
})
/** Has at least the fields that the SDK reads. */
const projectMintedSchema = issuedSchema.extend({ session_id: z.string() }) satisfies z.ZodType<MintResponse>
const common = {
  method: 'POST',
  // Tokens are as many as sessions of end users: the request log has what they did.
  audit: null,
  credential: 'api-key',
  owner: 'none',
  body: bodySchema,
  refusals: ['mint_user_blocked', 'mint_rate_limited', 'busy'],
} as const

export function mintRoutes(management: ManagementDependencies): Route[] {
  const issue = createIssue(management)
  const mint = async ({ caller: { apiKey: holder }, body }: RouteInput<unknown, unknown>) => {
    if (holder === null) throw new Error('the mint ran without an API key')
    const request = getChecked(parseMintRequest(body, holder.role))
    return { request, minted: await issue(holder, `mint:${holder.keyId}`, request) }
  }
  return [
    route({
      ...common,
      path: '/auth/v1/auth/mint',
      operation: 'mintToken',
      summary: 'Mint a token for one end user',
      answers: { 200: issuedSchema },
      async handle(input) {
        const { minted } = await mint(input)
        return { status: 200, body: minted }
      },
    }),
    route({
      ...common,
      path: '/v1/auth/mint',
      operation: 'mintTokenOnProjectHost',
      summary: "Mint a token on the project's own host; the response has a session id too",
      onProjectHost: true,
      // A gateway without the api role forwards mints.
      refusals: [...common.refusals, 'unknown_host', 'mint_unreachable', 'mint_failed'],
      answers: { 200: projectMintedSchema },
      async handle(input) {
        const { request, minted } = await mint(input)
        return { status: 200, body: { ...minted, session_id: request.session_id ?? management.randomId() } }
      },
    }),
  ]
}
