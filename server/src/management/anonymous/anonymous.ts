// Mints tokens for users without an account, on the project's own host: the client shows an attestation, and each is
// accepted once. Must not do anything for a project whose setting `anonymous` is null.

import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { AnonymousResponse, ChallengeResponse } from '../../../../sdk/src/wire.ts'
import { challengeSeconds, difficultyOf, makeChallenge } from '../../crypto/proof-of-work.ts'
import { mintToken } from '../../crypto/tokens/mint-token.ts'
import { Refusal } from '../../domain/errors.ts'
import { type AnonymousRules, type AttestationKind, attestationKinds } from '../../domain/settings/anonymous-rules.ts'
import type { ProjectRef } from '../../kv/store.ts'
import { findRestrictionRow } from '../../storage/end-users/restrict.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { clientNetwork } from '../plane/client-network.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { createTokenMinter } from '../projects/mint/issue-token.ts'
import { findAttestationSecret } from './attestation-secrets.ts'
import type { Attestations } from './attestations.ts'
import { countAttempt, countChallenge } from './count-attempts.ts'
import { noteOutcomes } from './note-outcomes.ts'

const path = '/v1/auth/anonymous'
const common = { credential: 'none', owner: 'none', onProjectHost: true } as const
const refusals = [
  'unknown_host',
  'mint_suspended',
  'anonymous_disabled',
  'origin_not_allowed',
  'anonymous_rate_limited',
  'config_unavailable',
  'store_unavailable',
  // A gateway without the api role forwards these requests.
  'mint_unreachable',
  'mint_failed',
] as const

const maxTokenCharacters = 8_192
const deviceError = 'device must be 16-128 characters of A-Z a-z 0-9 _ -'
const bodySchema = z.object({
  attestation: z.object(
    {
      kind: z.enum(attestationKinds, { error: `attestation.kind must be one of: ${attestationKinds.join(', ')}` }),
      token: z
        .string({ error: 'attestation.token must be a string' })
        .min(1, { error: 'attestation.token must not be empty' })
        .max(maxTokenCharacters, { error: `attestation.token must be at most ${maxTokenCharacters} characters` })
        .meta({ description: 'What the service gave the client; for `proof_of_work` the challenge, a dot, a number' }),
    },
    { error: 'attestation must be an object with kind and token' },
  ),
  device: z
    .string({ error: deviceError })
    .regex(/^[A-Za-z0-9_-]{16,128}$/, { error: deviceError })
    .optional()
    .meta({ description: 'A secret that the client made up at random and keeps: the same one gives the same `uid`' }),
})
const mintedSchema = z.object({
  access_token: z.string(),
  expires_in: z.int(),
  uid: z.string(),
}) satisfies z.ZodType<AnonymousResponse>
const challengeSchema = z.object({
  challenge: z.string().meta({ description: `Valid once, for ${challengeSeconds} seconds, from the same address` }),
  difficulty: z.int().meta({ description: 'Zero bits with which the SHA-256 of challenge, dot and number must begin' }),
}) satisfies z.ZodType<ChallengeResponse>

type Body = z.output<typeof bodySchema>

interface OpenProject extends ProjectRef {
  rules: AnonymousRules
}

export function anonymousRoutes(management: ManagementDependencies, attestations: Attestations): Route[] {
  const mint = createAnonymousMint(management, attestations)
  return [
    route({
      ...common,
      method: 'POST',
      path,
      operation: 'mintAnonymousToken',
      audit: null,
      summary: 'Mint a token for a user without an account, in exchange for an attestation',
      body: bodySchema,
      answers: { 200: mintedSchema },
      refusals: [...refusals, 'attestation_failed', 'attestation_unavailable', 'mint_user_blocked'],
      async handle(input) {
        return { status: 200, body: await mint(input) }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/challenge`,
      operation: 'getAnonymousChallenge',
      summary: 'Get a challenge for the attestation `proof_of_work`',
      answers: { 200: challengeSchema },
      refusals: [...refusals, 'attestation_failed'],
      async handle({ hostSlug, clientAddress }) {
        const { projectId, rules } = await getOpenProject(management, hostSlug)
        refuseOtherKind(rules, 'proof_of_work')
        const network = clientNetwork(clientAddress)
        const difficulty = difficultyOf(await countChallenge(management.kv, { projectId, network, rules }))
        const { now, anonymous } = management
        const challenge = makeChallenge(anonymous.challengeKey, { projectId, network }, difficulty, now())
        return { status: 200, body: { challenge, difficulty } }
      },
    }),
  ]
}

function createAnonymousMint(management: ManagementDependencies, attestations: Attestations) {
  const { sql, kv, metrics } = management
  const minter = createTokenMinter(management)

  async function attest(project: OpenProject, { kind, token }: Body['attestation'], network: string): Promise<void> {
    const { rules, ...ref } = project
    refuseOtherKind(rules, kind)
    const attestation = attestations[kind]
    const secret = attestation.secret === null ? '' : await findAttestationSecret(management, ref, kind)
    // The project's owner has not stored it yet.
    if (secret === null) throw new Refusal('attestation_unavailable')
    const evidence = { ...ref, token, network, secret }
    const found = await attestation.identify(evidence)
    if (found === null) throw new Refusal('attestation_failed')
    const isGenuine = await countAttempt(kv, { ...ref, network, rules, kind, found }, () =>
      attestation.confirm(evidence),
    )
    if (!isGenuine) throw new Refusal('attestation_failed')
  }

  return async ({ hostSlug, clientAddress, body }: RouteInput<Body, unknown>) => {
    const project = await getOpenProject(management, hostSlug)
    const { tenantId, projectId, rules } = project
    return await noteOutcomes(metrics, body.attestation.kind, async () => {
      await attest(project, body.attestation, clientNetwork(clientAddress))
      const userId = anonymousUserId(projectId, body.device)
      const restriction = await findRestrictionRow(sql, { projectId, userId })
      if (restriction !== undefined && restriction.blocked_at !== null) throw new Refusal('mint_user_blocked')
      const token = await mintToken(minter, {
        tenantId,
        projectId,
        userId,
        role: 'user',
        ttlSeconds: rules.ttl,
        issuedAfter: restriction?.tokens_revoked_before ?? 0,
        ...(rules.tier === null ? {} : { tier: rules.tier }),
      })
      return { access_token: token, expires_in: rules.ttl, uid: userId }
    })
  }
}

async function getOpenProject(
  { sql, anonymous }: ManagementDependencies,
  hostSlug: string | null,
): Promise<OpenProject> {
  const project = await sql
    .selectFrom('projects')
    .select(['id as projectId', 'tenant_id as tenantId', 'status'])
    .where('slug', '=', hostSlug ?? '')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (project === undefined) throw new Refusal('unknown_host')
  const { status, ...ref } = project
  if (status === 'suspended') throw new Refusal('mint_suspended')
  const rules = await anonymous.rulesOf(ref)
  if (rules === null) throw new Refusal('anonymous_disabled')
  return { ...ref, rules }
}

function refuseOtherKind({ attestation }: AnonymousRules, kind: AttestationKind): void {
  if (attestation.includes(kind)) return
  throw new Refusal('attestation_failed', { message: `This project does not accept ${kind}` })
}

/** The prefix and 22 characters. The same device has another id in another project; nobody can guess the device. */
function anonymousUserId(projectId: string, device: string | undefined): string {
  const id =
    device === undefined
      ? randomBytes(16).toString('base64url')
      : hash('sha256', JSON.stringify(['anonymous', projectId, device]), 'base64url')
  return `anon:${id.slice(0, 22)}`
}
