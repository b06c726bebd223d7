// Fills an installation over its API as months of use would: a tenant with its people and projects, deployments, two
// weeks of requests by day and the last hour by minute. Ends with a draft that differs from what is deployed.
import { adminSecret, type Installation, owner } from './installation.ts'
import { seedMoney } from './seed-money.ts'
import { type App, sendRequests } from './traffic.ts'

export interface Seeded {
  tenantId: string
  projectId: string
  /** A project with a model and no requests. */
  newProjectId: string
}

export interface SeedSize {
  /** The requests of each past day in dozens, oldest first. */
  days: number[]
  /** The requests of each of the last minutes, oldest first. */
  minutes: number[]
}

/** Two weeks, quieter at their ends, and an hour with a peak. */
export const fullSize: SeedSize = {
  days: [18, 22, 21, 25, 12, 10, 26, 29, 27, 31, 33, 15, 13],
  minutes: Array.from({ length: 57 }, (_, index) => 2 + ((index * 5) % 4) + (index > 34 && index < 44 ? 6 : 0)),
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const writeEveryMs = 1_000

export async function seed(installation: Installation, { days, minutes }: SeedSize): Promise<Seeded> {
  installation.setClock(-(days.length + 2) * dayMs)
  const { app, ...seeded } = await createTenant(installation)
  // The requests of a day must not run into the next one, whatever the time of day.
  const sinceMidnightMs = Date.now() % dayMs
  let count = 0
  const next = (length: number): number[] => Array.from({ length }, () => count++)
  for (const [index, dozens] of days.entries()) {
    const startsAt = (index - days.length) * dayMs - sinceMidnightMs
    installation.setClock(startsAt)
    if (index === Math.floor(days.length / 2)) await deployMore(installation, seeded.projectId)
    for (let hour = 0; hour < dozens; hour++) {
      installation.setClock(startsAt + (hour * dayMs) / (3 * dozens))
      await sendRequests(installation, app, next(12), { isStreamed: false, maxWords: 900 })
    }
  }
  // Activity is written once a second: what is left of the last day must not be counted in the hour.
  await new Promise(resolve => setTimeout(resolve, 3 * writeEveryMs))
  installation.setClock(-minutes.length * minuteMs)
  const session = await signIn(installation)
  let sent = 0
  for (const [index, length] of minutes.entries()) {
    installation.setClock((index + 1 - minutes.length) * minuteMs)
    await sendRequests(installation, app, next(length), { isStreamed: true, maxWords: 20 })
    sent += length
    await waitForActivity(installation, session, seeded.projectId, sent)
  }
  await changeDraft(installation, session, seeded.projectId)
  await seedMoney(installation, session, seeded)
  return seeded
}

async function signIn({ call }: Installation): Promise<string> {
  const { session_token: session } = await call<{ session_token: string }>('POST', '/auth/v1/sessions', { body: owner })
  return session
}

async function createTenant(installation: Installation): Promise<Seeded & { app: App }> {
  const { call } = installation
  const credential = await signIn(installation)
  const create = <Body = { id: string }>(path: string, body: object) => call<Body>('POST', path, { credential, body })
  const { id: tenantId } = await create('/auth/v1/tenants', { name: 'Harbour Books' })
  const headers = { 'x-admin-secret': adminSecret }
  await call('PUT', `/v1/admin/tenants/${tenantId}/plan`, { headers, body: { plan: 'pro' } })
  const provider = { credential, body: { api_key: 'sk-a-simulated-key-of-harbour-books' } }
  await call('PUT', `/auth/v1/tenants/${tenantId}/providers/openai`, provider)
  await addMembers(installation, credential, tenantId)
  const projects = `/auth/v1/tenants/${tenantId}/projects`
  const { id: projectId, slug } = await create<{ id: string; slug: string }>(projects, { name: 'Reading assistant' })
  const { id: newProjectId } = await create(projects, { name: 'Help desk' })
  const firstModel = { credential, body: { provider_model: 'openai/gpt-4.1-mini' } }
  await call('PUT', `/auth/v1/projects/${newProjectId}/settings/model`, firstModel)
  const keys = `/auth/v1/projects/${projectId}/api-keys`
  const { api_key: apiKey } = await create<{ api_key: string }>(keys, { name: 'shop backend' })
  await create(keys, { name: 'mobile backend' })
  await createTiers(installation, credential, projectId)
  await deploy(installation, credential, projectId, { model: 'openai/gpt-4.1', settings: firstSettings })
  return { tenantId, projectId, newProjectId, app: { slug, apiKey } }
}

async function addMembers({ call }: Installation, credential: string, tenantId: string): Promise<void> {
  const members = [
    { email: 'sam@example.com', role: 'member' },
    { email: 'vera@example.com', role: 'viewer' },
  ]
  const path = `/auth/v1/tenants/${tenantId}/members`
  for (const body of members) {
    const { invite_url: link } = await call<{ invite_url: string }>('POST', path, { credential, body })
    const token = new URL(link).hash.slice('#token='.length)
    await call('POST', '/auth/v1/invitations/accept', { body: { token, password: `a password of ${body.email}` } })
  }
  await call('POST', path, { credential, body: { email: 'jo@example.com', role: 'member' } })
  const accounts = `/auth/v1/tenants/${tenantId}/service-accounts`
  for (const [name, permissions] of [
    ['deploy pipeline', ['project:read', 'settings:write', 'settings:deploy']],
    ['SIEM', ['audit:read']],
  ]) {
    await call('POST', accounts, { credential, body: { name, permissions } })
  }
}

const firstSettings = {
  system_prompt: 'You help the customers of Harbour Books to choose, find and order books. Answer in plain words.',
  cors_origins: ['https://books.example.com'],
  rpm_limit: 600,
  tokens_per_day: 10_000_000,
  pii_mode: 'enforce',
  pii_entities: { EMAIL_ADDRESS: 'MASK', PHONE_NUMBER: 'MASK', CREDIT_CARD: 'BLOCK' },
  sentinel_mode: 'enforce',
  sentinel_blocklist: ['unreleased catalogue'],
}

async function createTiers({ call }: Installation, credential: string, projectId: string): Promise<void> {
  const tiers = [
    { name: 'free', overrides: { rpm_limit: 3, tokens_per_day: 100_000, provider_model: 'openai/gpt-4.1-nano' } },
    { name: 'plus', overrides: { rpm_limit: 30, tokens_per_day: 400_000, memory_window: 100 } },
    { name: 'team', overrides: { rpm_limit: 120, tokens_per_day: 2_000_000, retention_days: 90 } },
  ]
  for (const [index, tier] of tiers.entries()) {
    await call('POST', `/auth/v1/projects/${projectId}/tiers`, { credential, body: { ...tier, sort_order: index } })
  }
}

/** The second deployment: another model, and one more type of personal data. */
const deployMore = async (installation: Installation, projectId: string): Promise<void> =>
  deploy(installation, await signIn(installation), projectId, {
    model: 'openai/gpt-4.1-mini',
    settings: { pii_entities: { ...firstSettings.pii_entities, IBAN_CODE: 'REDACT' }, memory_window: 40 },
  })

async function deploy(
  { call }: Installation,
  credential: string,
  projectId: string,
  { model, settings }: { model: string; settings: object },
): Promise<void> {
  const path = `/auth/v1/projects/${projectId}/settings`
  await call('PUT', path, { credential, body: settings })
  await call('PUT', `${path}/model`, { credential, body: { provider_model: model } })
  await call('POST', `${path}/deploy`, { credential, body: {} })
}

async function changeDraft({ call }: Installation, credential: string, projectId: string): Promise<void> {
  const path = `/auth/v1/projects/${projectId}/settings`
  const entities = { ...firstSettings.pii_entities, IBAN_CODE: 'REDACT', PERSON: 'MASK' }
  const body = {
    cors_origins: [...firstSettings.cors_origins, 'https://kids.books.example.com'],
    rpm_limit: 900,
    pii_entities: entities,
    retention_days: 30,
  }
  await call('PUT', path, { credential, body })
  await call('PUT', `${path}/model/draft`, { credential, body: { provider_model: 'openai/gpt-4o-mini' } })
}

const pollMs = 50
const hangingMs = 60_000

/** Activity is written once a second, into the minute of the write. */
async function waitForActivity(
  { call }: Installation,
  credential: string,
  projectId: string,
  sent: number,
): Promise<void> {
  const path = `/auth/v1/projects/${projectId}/activity`
  const startedAt = Date.now()
  for (let counted = 0; counted < sent; ) {
    if (Date.now() - startedAt > hangingMs) throw new Error(`the activity has ${counted} of ${sent} requests`)
    await new Promise(resolve => setTimeout(resolve, pollMs))
    counted = (await call<{ totals: { requests: number } }>('GET', path, { credential })).totals.requests
  }
}
