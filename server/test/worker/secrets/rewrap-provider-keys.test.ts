// After a change of the encryption key: every stored provider key is wrapped again, whatever stands between, on both
// databases, and none that was changed meanwhile is touched.
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { totpContext } from '../../../src/crypto/factors/totp.ts'
import { attestationSecretContext } from '../../../src/crypto/secrets/attestation-secret.ts'
import { createSecretBox } from '../../../src/crypto/secrets/secret-box.ts'
import { webhookSecretContext } from '../../../src/crypto/secrets/webhook-signature.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { clientSecretContext, refreshTokenContext } from '../../../src/oidc/sealed-secrets.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { providerKeyContext } from '../../../src/providers/provider-key-context.ts'
import type { Database } from '../../../src/storage/open-database.ts'
import { rewrapAttestationSecrets } from '../../../src/worker/secrets/rewrap-attestation-secrets.ts'
import { rewrapProviderKeys } from '../../../src/worker/secrets/rewrap-provider-keys.ts'
import { rewrapSsoSecrets } from '../../../src/worker/secrets/rewrap-sso-secrets.ts'
import { rewrapTotpSecrets } from '../../../src/worker/secrets/rewrap-totp-secrets.ts'
import { rewrapWebhookSecrets } from '../../../src/worker/webhooks/rewrap-webhook-secrets.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { openDistributed, openMigrated } from '../../storage/fixtures.ts'
import { createDatabase } from '../../support/postgres.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const oldBox = createSecretBox({ current: oldKey, previous: [] })
const newBox = createSecretBox({ current: newKey, previous: [] })
const bothBox = createSecretBox({ current: newKey, previous: [oldKey] })

const openers: [string, () => Promise<Database>][] = [['SQLite', () => openMigrated()]]
const postgresUrl = inject('postgresUrl')
if (postgresUrl !== '') openers.push(['PostgreSQL', async () => openDistributed(await createDatabase(postgresUrl))])

describe.each(openers)('on %s', (_name, open) => {
  async function stage() {
    const { sql } = await open()
    const { log, lines } = createMemoryLog()
    const kv = createProcessStore({ now: Date.now, log })
    const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
    const job = rewrapProviderKeys(bothBox, 15_000)
    const run = (box = bothBox) =>
      (box === bothBox ? job : rewrapProviderKeys(box, 15_000)).run(
        { sql, kv, outbound, now: Date.now, log },
        new AbortController().signal,
      )

    async function addKey(box: typeof oldBox, tenantId: string = randomUUID(), baseUrlOverride: string | null = null) {
      const rowId = randomUUID()
      const place = { tenantId, rowId, providerType: 'openai', baseUrlOverride }
      const tenant = { id: tenantId, name: 'Tenant', plan: 'pro' as const, provider_keys_revision: 4, created_at: 1 }
      await sql.insertInto('tenants').values(tenant).execute()
      await sql
        .insertInto('provider_keys')
        .values({
          id: rowId,
          tenant_id: tenantId,
          provider_type: 'openai',
          ciphertext: box.seal(`sk-${rowId}`, providerKeyContext(place)),
          key_last4: 'cret',
          base_url_override: baseUrlOverride,
          key_set_at: 1,
        })
        .execute()
      return place
    }

    const readRow = (rowId: string) =>
      sql
        .selectFrom('provider_keys')
        .innerJoin('tenants', 'tenants.id', 'provider_keys.tenant_id')
        .select(['ciphertext', 'provider_keys_revision'])
        .where('provider_keys.id', '=', rowId)
        .executeTakeFirstOrThrow()

    const dependencies = { sql, kv, outbound, now: Date.now, log }
    const runOnWebhooks = () => rewrapWebhookSecrets(bothBox, 15_000).run(dependencies, new AbortController().signal)

    const runOnAttestations = () =>
      rewrapAttestationSecrets(bothBox, 15_000).run(dependencies, new AbortController().signal)
    const runOnTotp = () => rewrapTotpSecrets(bothBox, 15_000).run(dependencies, new AbortController().signal)

    const runOnSso = async () => {
      for (const job of rewrapSsoSecrets(bothBox, 15_000)) await job.run(dependencies, new AbortController().signal)
    }

    return { sql, run, runOnWebhooks, runOnAttestations, runOnTotp, runOnSso, addKey, readRow, lines }
  }

  test('keys of the earlier key open with the new one alone, and go to the store as a new revision', async () => {
    const { run, addKey, readRow, sql } = await stage()
    const places = [await addKey(oldBox), await addKey(oldBox, randomUUID(), 'https://llm.example.com')]
    const untouched = await addKey(newBox)
    // More than one page.
    for (let count = 0; count < 205; count++) await addKey(oldBox)
    const before = await readRow(untouched.rowId)
    await run()
    for (const place of places) {
      const { ciphertext, provider_keys_revision } = await readRow(place.rowId)
      expect(newBox.open(ciphertext, providerKeyContext(place))).toBe(`sk-${place.rowId}`)
      expect(provider_keys_revision).toBe(5)
    }
    const all = await sql.selectFrom('provider_keys').select('ciphertext').execute()
    expect(all.filter(({ ciphertext }) => !ciphertext.startsWith(newBox.prefixes[0]))).toEqual([])
    expect(await readRow(untouched.rowId)).toEqual(before)
    await run()
    expect((await readRow(places[0]?.rowId ?? '')).provider_keys_revision).toBe(5)
  })

  test('one that cannot be opened stays, is told of once, and holds up nobody', async () => {
    const { run, addKey, readRow, sql, lines } = await stage()
    const broken = await addKey(oldBox, '00000000-0000-4000-8000-000000000001')
    const whole = await addKey(oldBox)
    const edited = { base_url_override: 'https://elsewhere.example.com' }
    await sql.updateTable('provider_keys').set(edited).where('id', '=', broken.rowId).execute()
    const before = await readRow(broken.rowId)
    await run()
    expect(await readRow(broken.rowId)).toEqual(before)
    expect((await readRow(whole.rowId)).ciphertext.startsWith(newBox.prefixes[0])).toBe(true)
    const listTold = () => lines.filter(({ event }) => event === 'provider key cannot be decrypted, store it again')
    const told = [{ fields: { tenant_id: broken.tenantId, reason: 'not_authentic' } }]
    expect(listTold()).toMatchObject(told)
    await run()
    await run()
    expect(listTold()).toMatchObject(told)
    const another = await addKey(createSecretBox({ current: randomBytes(32), previous: [] }))
    await run()
    expect(listTold()).toMatchObject([...told, { fields: { tenant_id: another.tenantId } }])
  })

  test('secrets of authenticator apps too; one that cannot be opened stays', async () => {
    const { sql, runOnTotp, lines } = await stage()
    const [whole, foreign] = [randomUUID(), randomUUID()]
    for (const [id, box] of [
      [whole, oldBox],
      [foreign, createSecretBox({ current: randomBytes(32), previous: [] })],
    ] as const) {
      const nobody = { password_hash: null, home_tenant_id: null, email_proven_at: null, second_factor_since: 1 }
      await sql
        .insertInto('users')
        .values({ id, email: id, created_at: 0, ...nobody })
        .execute()
      const ciphertext = box.seal('SECRET', totpContext(id))
      await sql
        .insertInto('totp_secrets')
        .values({ user_id: id, ciphertext, created_at: 0, confirmed_at: 1, last_step: 0 })
        .execute()
    }
    await runOnTotp()
    const rows = new Map(
      (await sql.selectFrom('totp_secrets').selectAll().execute()).map(row => [row.user_id, row.ciphertext]),
    )
    expect(newBox.open(rows.get(whole) ?? '', totpContext(whole))).toBe('SECRET')
    expect(rows.get(foreign)?.startsWith(newBox.prefixes[0])).toBe(false)
    expect(lines.filter(({ event }) => event.startsWith('secret of an authenticator app'))).toHaveLength(1)
  })

  test('client secrets and refresh tokens of single sign-on too; one that was moved stays', async () => {
    const { sql, runOnSso, lines } = await stage()
    const [whole, moved, userId] = [randomUUID(), randomUUID(), randomUUID()]
    const nobody = { password_hash: null, home_tenant_id: null, email_proven_at: null, second_factor_since: null }
    await sql
      .insertInto('users')
      .values({ id: userId, email: userId, created_at: 0, ...nobody })
      .execute()
    const place = { tenantId: whole, issuer: 'https://id.example', clientId: 'one' }
    const rules = { domains: '[]', role_map: '{}', role_claim: null, default_role: 'viewer', required: 0 as const }
    const rest = { issuer: place.issuer, client_id: place.clientId, break_glass_user_id: null, created_at: 1 }
    for (const id of [whole, moved]) {
      const tenant = { id, name: 'Tenant', plan: 'pro' as const, provider_keys_revision: 0, created_at: 1 }
      await sql.insertInto('tenants').values(tenant).execute()
      const ciphertext = oldBox.seal('client secret', clientSecretContext(place))
      await sql
        .insertInto('sso_connections')
        .values({ ...rules, ...rest, tenant_id: id, ciphertext, updated_at: 1 })
        .execute()
    }
    // Of a tenant's issuer, of the installation's own, and one that was moved to another session.
    const sessions = [
      ['a', whole, refreshTokenContext(whole, 'a')],
      ['b', null, refreshTokenContext('', 'b')],
      ['c', whole, refreshTokenContext(whole, 'a')],
    ] as const
    for (const [token_digest, tenant_id, context] of sessions) {
      const times = { created_at: 0, expires_at: 1, last_seen_at: 0, authenticated_at: 0, refresh_at: 1 }
      const opened = { user_id: userId, authenticated_by: 'sso', address: null, user_agent: null, identity_id: 'one' }
      const refresh_token = oldBox.seal(`refresh ${token_digest}`, context)
      await sql
        .insertInto('sessions')
        .values({ ...times, ...opened, token_digest, tenant_id, refresh_token })
        .execute()
    }
    await runOnSso()
    const secrets = new Map(
      (await sql.selectFrom('sso_connections').selectAll().execute()).map(row => [row.tenant_id, row.ciphertext]),
    )
    expect(newBox.open(secrets.get(whole) ?? '', clientSecretContext(place))).toBe('client secret')
    expect(secrets.get(moved)?.startsWith(oldBox.prefixes[0])).toBe(true)
    const tokens = new Map(
      (await sql.selectFrom('sessions').selectAll().execute()).map(row => [row.token_digest, row.refresh_token]),
    )
    expect(newBox.open(tokens.get('a') ?? '', refreshTokenContext(whole, 'a'))).toBe('refresh a')
    expect(newBox.open(tokens.get('b') ?? '', refreshTokenContext('', 'b'))).toBe('refresh b')
    expect(tokens.get('c')?.startsWith(oldBox.prefixes[0])).toBe(true)
    expect(lines).toMatchObject([
      {
        event: 'client secret of a single sign-on cannot be decrypted, store it again',
        fields: { tenant_id: moved },
      },
      { event: 'refresh token of a session cannot be decrypted' },
    ])
  })

  test('secrets of webhooks too; one that cannot be opened stays', async () => {
    const { sql, runOnWebhooks, lines } = await stage()
    const rest = { types: null, previous_until: null, created_at: 0, due_at: null, is_slow: 0 as const }
    const places = ['https://a.example/hook', 'https://b.example/hook'].map(url => ({
      tenantId: randomUUID(),
      webhookId: randomUUID(),
      url,
    }))
    for (const [index, place] of places.entries()) {
      const { tenantId: tenant_id, webhookId: id, url } = place
      // The second one's address was edited.
      const ciphertext = oldBox.seal(
        'whsec_a whsec_b',
        webhookSecretContext(index === 0 ? place : { ...place, url: '' }),
      )
      await sql
        .insertInto('webhooks')
        .values({ ...rest, id, tenant_id, url, ciphertext, claim: null, claimed_until: 0 })
        .execute()
    }
    await runOnWebhooks()
    const rows = new Map((await sql.selectFrom('webhooks').selectAll().execute()).map(row => [row.id, row.ciphertext]))
    const [whole, edited] = places
    if (whole === undefined || edited === undefined) throw new Error('no places')
    expect(newBox.open(rows.get(whole.webhookId) ?? '', webhookSecretContext(whole))).toBe('whsec_a whsec_b')
    expect(rows.get(edited.webhookId)?.startsWith(oldBox.prefixes[0])).toBe(true)
    expect(lines).toMatchObject([
      { event: 'webhook secret cannot be decrypted, create the webhook again', fields: { tenant_id: edited.tenantId } },
    ])
  })

  test('secrets of attestations too', async () => {
    const { sql, runOnAttestations, lines } = await stage()
    const [tenantId, projectId] = [randomUUID(), randomUUID()]
    await sql
      .insertInto('tenants')
      .values({ id: tenantId, name: 'Tenant', plan: 'pro', provider_keys_revision: 0, created_at: 1 })
      .execute()
    await sql
      .insertInto('projects')
      .values({
        id: projectId,
        tenant_id: tenantId,
        name: 'Project',
        slug: `slug-${projectId}`,
        status: 'active',
        dns_status: 'READY',
        created_at: 1,
      })
      .execute()
    const place = { tenantId, projectId, rowId: randomUUID(), kind: 'turnstile' }
    // The second one was moved from another kind.
    for (const [id, kind] of [
      [place.rowId, 'turnstile'],
      [randomUUID(), 'hcaptcha'],
    ] as const) {
      const ciphertext = oldBox.seal('secret', attestationSecretContext(place))
      await sql
        .insertInto('attestation_secrets')
        .values({ project_id: projectId, id, kind, ciphertext, set_at: 1 })
        .execute()
    }
    await runOnAttestations()
    const rows = await sql.selectFrom('attestation_secrets').selectAll().orderBy('kind', 'desc').execute()
    expect(newBox.open(rows[0]?.ciphertext ?? '', attestationSecretContext(place))).toBe('secret')
    expect(rows[1]?.ciphertext.startsWith(oldBox.prefixes[0])).toBe(true)
    expect(lines).toMatchObject([
      { event: 'attestation secret cannot be decrypted, store it again', fields: { project_id: projectId } },
    ])
  })

  test('one that is stored anew while it is wrapped stays as it was stored', async () => {
    const { run, addKey, readRow, sql } = await stage()
    const place = await addKey(oldBox)
    const stored = newBox.seal('sk-stored-meanwhile', providerKeyContext(place))
    await run({
      ...bothBox,
      rewrap(envelope, context) {
        void sql.updateTable('provider_keys').set({ ciphertext: stored }).where('id', '=', place.rowId).execute()
        return bothBox.rewrap(envelope, context)
      },
    })
    expect((await readRow(place.rowId)).ciphertext).toBe(stored)
  })
})
