// Who presents an API key: found by digest, proven by the slow hash, alive by the database at that moment.
// Proven digests are remembered for a while; whether a key is revoked or its project suspended is read every time.

import { apiKeyDigest, apiKeyStart } from '../../crypto/secrets/credentials.ts'
import type { PasswordHasher } from '../../crypto/secrets/password.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Role } from '../../domain/role.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { bearerToken } from './bearer-token.ts'

export interface ApiKeyHolder {
  keyId: string
  role: Role
  projectId: string
  tenantId: string
  slug: string
  /** When its project was last deployed; null while it never was. */
  deployedAt: number | null
}

export type ApiKeyFinder = (authorization: string | undefined, hostSlug: string | null) => Promise<ApiKeyHolder>

export function createApiKeyFinder({ sql, passwords, now }: ManagementDependencies): ApiKeyFinder {
  const proofs = createProofs(passwords, now)

  async function findHolder(authorization: string | undefined, hostSlug: string | null): Promise<ApiKeyHolder> {
    const plaintext = bearerToken(authorization)
    if (!plaintext.startsWith(apiKeyStart)) throw new Refusal('invalid_key_shape')
    const digest = apiKeyDigest(plaintext)
    const key = await getLivingKey(sql, digest, hostSlug)
    if (proofs.isProven(digest, key.hash)) return toHolder(key)
    if (!(await proofs.prove(digest, key.hash, plaintext))) throw new Refusal('invalid_key')
    // The proof took its time, and the key may have been revoked meanwhile.
    return toHolder(await getLivingKey(sql, digest, hostSlug))
  }

  return async (authorization, hostSlug) => {
    try {
      return await findHolder(authorization, hostSlug)
    } catch (error) {
      // A host that is no project's says so, whatever credential came with the request.
      if (hostSlug !== null && !(await isProjectHost(sql, hostSlug))) throw new Refusal('unknown_host')
      throw error
    }
  }
}

type LivingKey = Awaited<ReturnType<typeof getLivingKey>>

async function getLivingKey(sql: ManagementDependencies['sql'], digest: string, hostSlug: string | null) {
  const key = await sql
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .innerJoin('settings', 'settings.project_id', 'projects.id')
    .select(['api_keys.id', 'api_keys.hash', 'api_keys.role', 'api_keys.revoked_at'])
    .select(['projects.id as project_id', 'projects.tenant_id', 'projects.slug', 'projects.status'])
    .select('settings.deployed_at')
    .where('api_keys.digest', '=', digest)
    .where('projects.deleted_at', 'is', null)
    .executeTakeFirst()
  // A key of one project says nothing on another project's host, not even that it was revoked.
  if (key === undefined || (hostSlug !== null && hostSlug !== key.slug)) throw new Refusal('invalid_key')
  if (key.status === 'suspended') throw new Refusal('mint_suspended')
  if (key.revoked_at !== null) throw new Refusal('key_revoked')
  return key
}

function toHolder(key: LivingKey): ApiKeyHolder {
  return {
    keyId: key.id,
    role: key.role as Role,
    projectId: key.project_id,
    tenantId: key.tenant_id,
    slug: key.slug,
    deployedAt: key.deployed_at,
  }
}

async function isProjectHost(sql: ManagementDependencies['sql'], slug: string): Promise<boolean> {
  const project = await sql
    .selectFrom('projects')
    .select('id')
    .where('slug', '=', slug)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return project !== undefined
}

const rememberedMs = 5 * 60 * 1000
const rememberedMost = 10_000

/** Which keys have passed the slow hash. Digest and hash name a proof together, so that another hash needs its own. */
function createProofs(passwords: PasswordHasher, now: () => number) {
  const provenUntil = new Map<string, number>()
  const running = new Map<string, Promise<boolean>>()

  async function run(name: string, hash: string, plaintext: string): Promise<boolean> {
    try {
      const isRight = await passwords.verify(hash, plaintext)
      if (isRight) remember(name)
      return isRight
    } finally {
      running.delete(name)
    }
  }

  function remember(name: string): void {
    const [oldest] = provenUntil.size >= rememberedMost ? provenUntil.keys() : []
    if (oldest !== undefined) provenUntil.delete(oldest)
    // At the end of the map again, whose order is that of the proofs.
    provenUntil.delete(name)
    provenUntil.set(name, now() + rememberedMs)
  }

  return {
    isProven: (digest: string, hash: string): boolean => (provenUntil.get(`${digest} ${hash}`) ?? 0) > now(),
    /** One slow hash per key at a time, however many requests wait for it. */
    prove(digest: string, hash: string, plaintext: string): Promise<boolean> {
      const name = `${digest} ${hash}`
      const proof = running.get(name) ?? run(name, hash, plaintext)
      running.set(name, proof)
      return proof
    },
  }
}
