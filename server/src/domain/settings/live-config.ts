// The document that the data plane uses, one per project and revision, from the project's creation on: how it
// is created and parsed.

import { isJsonObject, parseJson, parseList } from '../json-object.ts'
import type { NamedTemplate } from '../prompts/template.ts'
import { isSlug } from '../slug.ts'
import type { Settings } from './settings.ts'
import { parseSettings } from './settings-rules.ts'
import { parsePrompts, type Snapshot } from './snapshot.ts'
import { type NamedOverrides, parseNamedOverrides } from './tier.ts'

export interface LiveConfig {
  project_id: string
  tenant_id: string
  slug: string
  /** False until the first deploy: the settings are then the defaults. */
  deployed: boolean
  /** The number of the deployment; null before the first one, and in documents that are older than this member. */
  deployment: number | null
  settings: Settings
  tiers: NamedOverrides[]
  /** Tiers that a deploy removed, for tokens that still name them. */
  retired_tiers: RetiredTier[]
  prompts: NamedTemplate[]
  /** The issuer whose tokens are accepted besides our own. Changes take effect without a deploy. */
  identity_provider: IdentityProvider | null
}

export interface IdentityProvider {
  issuer: string
  /** Keys fetched from another address are ignored. */
  jwks_url: string
  audience: string
  user_id_claim: string
  tier_claim: string | null
}

export interface RetiredTier extends NamedOverrides {
  /** Epoch milliseconds. */
  retired_at: number
}

interface ProjectIdentity {
  id: string
  tenant_id: string
  slug: string
}

/** The maximum lifetime of a token. */
const retiredLifeMs = 86_400_000

/** The configuration of a new project until its first deploy. */
export function initialLiveConfig(project: ProjectIdentity, defaults: Settings): LiveConfig {
  return {
    ...identify(project),
    deployed: false,
    deployment: null,
    settings: defaults,
    tiers: [],
    retired_tiers: [],
    prompts: [],
    identity_provider: null,
  }
}

/** The configuration after a deploy or a rollback; `previous` is the one before. */
export function buildLiveConfig(
  project: ProjectIdentity,
  { number, snapshot }: { number: number; snapshot: Snapshot },
  previous: LiveConfig,
  now: number,
): LiveConfig {
  const tiers = snapshot.tiers.map(({ name, overrides }) => ({ name, overrides }))
  return {
    ...identify(project),
    deployed: true,
    deployment: number,
    settings: snapshot.settings,
    tiers,
    retired_tiers: retireTiers(previous, tiers, now),
    prompts: snapshot.prompts,
    identity_provider: previous.identity_provider,
  }
}

/** Selecting or removing a model takes effect at once, without a deploy. */
export function withModel(live: LiveConfig, modelId: string | null): LiveConfig {
  return { ...live, settings: { ...live.settings, provider_model: modelId } }
}

/** Tiers removed now, and those removed earlier whose tokens may still be valid. A name in use again is not retired. */
function retireTiers(
  previous: Pick<LiveConfig, 'tiers' | 'retired_tiers'>,
  next: readonly NamedOverrides[],
  now: number,
): RetiredTier[] {
  const dropped = previous.tiers.map(({ name, overrides }) => ({ name, overrides, retired_at: now }))
  const lingering = previous.retired_tiers.filter(tier => isInForce(tier, now))
  return [...dropped, ...lingering].filter(tier => findByName(next, tier.name) === undefined)
}

/** Returns null if any part is invalid. An invalid document must never be replaced by the defaults. */
export function parseLiveConfig(text: string): LiveConfig | null {
  const document = parseJson(text)
  if (!isJsonObject(document)) return null
  const { project_id, tenant_id, slug, deployed, deployment = null } = document
  const settings = parseSettings(document['settings'])
  const tiers = parseList(document['tiers'], parseNamedOverrides)
  const retired_tiers = parseList(document['retired_tiers'], parseRetiredTier)
  const prompts = parsePrompts(document['prompts'])
  const identity_provider = document['identity_provider']
  if (identity_provider !== null && !isIdentityProvider(identity_provider)) return null
  if (settings === null || tiers === null || retired_tiers === null || prompts === null) return null
  if (typeof project_id !== 'string' || typeof tenant_id !== 'string') return null
  if (typeof slug !== 'string' || !isSlug(slug) || typeof deployed !== 'boolean') return null
  if (deployment !== null && typeof deployment !== 'number') return null
  return {
    project_id,
    tenant_id,
    slug,
    deployed,
    deployment,
    settings,
    tiers,
    retired_tiers,
    prompts,
    identity_provider,
  }
}

type TiersOf = Pick<LiveConfig, 'tiers' | 'retired_tiers'>

/** False for a name that gets the project's settings. */
export function isTierInForce(live: TiersOf, name: string, now: number): boolean {
  return findTier(live, name, now) !== undefined
}

export function unknownTierMessage(name: string): string {
  return `The project has no tier ${JSON.stringify(name)}`
}

/** The tier of that name that is in force, also one that a deploy removed a short while ago. */
export function findTier(live: TiersOf, name: string, now: number): NamedOverrides | undefined {
  const inForce = live.retired_tiers.filter(tier => isInForce(tier, now))
  return findByName(live.tiers, name) ?? findByName(inForce, name)
}

function findByName<T extends NamedOverrides>(tiers: readonly T[], name: string): T | undefined {
  return tiers.find(tier => tier.name === name)
}

function isInForce(tier: RetiredTier, now: number): boolean {
  return now - tier.retired_at < retiredLifeMs
}

function identify({ id, tenant_id, slug }: ProjectIdentity) {
  return { project_id: id, tenant_id, slug }
}

function isIdentityProvider(value: unknown): value is IdentityProvider {
  if (!isJsonObject(value)) return false
  const { issuer, jwks_url, audience, user_id_claim, tier_claim } = value
  const texts = [issuer, jwks_url, audience, user_id_claim, tier_claim ?? '']
  return texts.every(text => typeof text === 'string') && tier_claim !== undefined
}

function parseRetiredTier(value: unknown): RetiredTier | null {
  const tier = parseNamedOverrides(value)
  if (tier === null || !isJsonObject(value)) return null
  const { retired_at } = value
  return typeof retired_at === 'number' && Number.isSafeInteger(retired_at) ? { ...tier, retired_at } : null
}
