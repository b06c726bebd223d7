// Authenticates an API key: finds it by its digest and verifies it with the slow hash. Verifications are cached for a
// while; whether the key is revoked or its project suspended is read from the database every time.

import { apiKeyDigest, apiKeyStart } from '../../crypto/secrets/credentials.ts'
import type { PasswordHasher } from '../../crypto/secrets/password.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Role } from '../../domain/role.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { bearerToken } from './bearer-token.ts'

export interface MintingProject {
  projectId: string
  tenantId: string
  slug: string
  /** When its project was last deployed; null if never. */
  deployedAt: number | null
}

export interface ApiKeyHolder extends MintingProject {
  keyId: string
  role: Role
}

export type ApiKeyFinder = (authorization: string | undefined, hostSlug: string | null) => Promise<ApiKeyHolder>

export function createApiKeyFinder({ sql, passwords, now }: ManagementDependencies): ApiKeyFinder {
  const proofs = createProofs(passwords, now)
  const noteUse = createUseNotes(sql, now)

  async function findHolder(authorization: string | undefined, hostSlug: string | null): Promise<ApiKeyHolder> {
    const plaintext = bearerToken(authorization)
    if (!plaintext.startsWith(apiKeyStart)) throw new Refusal('invalid_key_shape')
    const digest = apiKeyDigest(plaintext)
    const key = await getActiveKey({ sql, now }, digest, hostSlug)
    if (proofs.isProven(digest, key.hash)) return await noteUse(key)
    if (!(await proofs.prove(digest, key.hash, plaintext))) throw new Refusal('invalid_key')
    // The slow hash takes time; the key may have been revoked meanwhile.
    return await noteUse(await getActiveKey({ sql, now }, digest, hostSlug))
  }

  return async (authorization, hostSlug) => {
    try {
      return await findHolder(authorization, hostSlug)
    } catch (error) {
      // On the host of no project, that error takes precedence over errors of the credential.
      if (hostSlug !== null && !(await isProjectHost(sql, hostSlug))) throw new Refusal('unknown_host')
      throw error
    }
  }
}

type ActiveKey = Awaited<ReturnType<typeof getActiveKey>>

async function getActiveKey(
  { sql, now }: Pick<ManagementDependencies, 'sql' | 'now'>,
  digest: string,
  hostSlug: string | null,
) {
  const key = await sql
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .innerJoin('settings', 'settings.project_id', 'projects.id')
    .select(['api_keys.id', 'api_keys.hash', 'api_keys.role', 'api_keys.revoked_at'])
    .select(['api_keys.expires_at', 'api_keys.last_used_at'])
    .select(['projects.id as project_id', 'projects.tenant_id', 'projects.slug', 'projects.status'])
    .select('settings.deployed_at')
    .where('api_keys.digest', '=', digest)
    .where('projects.deleted_at', 'is', null)
    .executeTakeFirst()
  // On another project's host the key is invalid; the response must not reveal that it exists or was revoked.
  if (key === undefined || (hostSlug !== null && hostSlug !== key.slug)) throw new Refusal('invalid_key')
  if (key.status === 'suspended') throw new Refusal('mint_suspended')
  if (key.revoked_at !== null) throw new Refusal('key_revoked')
  if (key.expires_at !== null && key.expires_at <= now()) throw new Refusal('key_expired')
  return key
}

function toHolder(key: ActiveKey): ApiKeyHolder {
  return {
    keyId: key.id,
    role: key.role as Role,
    projectId: key.project_id,
    tenantId: key.tenant_id,
    slug: key.slug,
    deployedAt: key.deployed_at,
  }
}

const minuteMs = 60_000
const maxNotedKeys = 10_000

/** Writes the minute in which a key was used, at most once a minute and key in each process. */
function createUseNotes(sql: ManagementDependencies['sql'], now: () => number) {
  const noted = new Map<string, number>()
  return async (key: ActiveKey): Promise<ApiKeyHolder> => {
    const minute = now() - (now() % minuteMs)
    if ((key.last_used_at ?? 0) >= minute || noted.get(key.id) === minute) return toHolder(key)
    if (noted.size >= maxNotedKeys) noted.clear()
    noted.set(key.id, minute)
    await sql
      .updateTable('api_keys')
      .set({ last_used_at: minute })
      .where('id', '=', key.id)
      .where(row => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', minute)]))
      .execute()
    return toHolder(key)
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

const proofLifeMs = 5 * 60 * 1000
const maxProofs = 10_000

/** Caches which keys have passed the slow hash, by digest and hash: another hash needs a verification of its own. */
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
    const [oldest] = provenUntil.size >= maxProofs ? provenUntil.keys() : []
    if (oldest !== undefined) provenUntil.delete(oldest)
    // Moves the entry to the end of the map, so that the first entry is the oldest.
    provenUntil.delete(name)
    provenUntil.set(name, now() + proofLifeMs)
  }

  return {
    isProven: (digest: string, hash: string): boolean => (provenUntil.get(`${digest} ${hash}`) ?? 0) > now(),
    /** At most one slow hash per key runs at a time; concurrent requests share it. */
    prove(digest: string, hash: string, plaintext: string): Promise<boolean> {
      const name = `${digest} ${hash}`
      const proof = running.get(name) ?? run(name, hash, plaintext)
      running.set(name, proof)
      return proof
    },
  }
}
