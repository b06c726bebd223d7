// What becomes of a key once it is inside: nowhere in clear, opened only where it belongs, and healed where the store
// lost it. Reads database, store and logs past the product.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import { beforeAll, expect, test } from 'vitest'
import { createSecretBox, SealedSecretError } from '../../../src/crypto/secrets/secret-box.ts'
import { providerKeyContext } from '../../../src/providers/provider-key-context.ts'
import { describeEachBackend } from '../../support/management-harness.ts'
import { encryptionKey, makeKey, type ProviderStage, providersPath, startProviders } from './provider-stage.ts'

interface KeyRow {
  id: string
  tenant_id: string
  ciphertext: string
  base_url_override: string | null
}

describeEachBackend('a stored provider key', (start, backend) => {
  let stage: ProviderStage
  beforeAll(async () => {
    stage = await startProviders(start, { own: true })
  })
  const rowsOf = (tenantId: string) =>
    stage.plane.query<KeyRow>('select * from provider_keys where tenant_id = ?', [tenantId])
  const box = createSecretBox({ current: encryptionKey, previous: [] })
  const place = (row: KeyRow, providerType = 'openai') =>
    providerKeyContext({
      tenantId: row.tenant_id,
      rowId: row.id,
      providerType,
      baseUrlOverride: row.base_url_override,
    })

  test('opens where it belongs, and nowhere else', async () => {
    const [mine, other] = [await stage.makeTenant(), await stage.makeTenant()]
    const [key, otherKey] = [makeKey(), makeKey()]
    await stage.put(mine, 'openai', { api_key: key })
    await stage.put(other, 'openai', { api_key: otherKey, base_url_override: stage.onPremise.url })
    const [row, otherRow] = [...(await rowsOf(mine)), ...(await rowsOf(other))] as [KeyRow, KeyRow]
    expect(box.open(row.ciphertext, place(row))).toBe(key)
    expect(box.open(otherRow.ciphertext, place(otherRow))).toBe(otherKey)
    const wrongPlaces = [
      place(otherRow),
      place(row, 'anthropic'),
      place({ ...row, tenant_id: other }),
      place({ ...row, id: otherRow.id }),
      place({ ...row, base_url_override: 'https://collector.example' }),
    ]
    for (const wrong of wrongPlaces) expect(() => box.open(row.ciphertext, wrong)).toThrow(SealedSecretError)
    expect(() => box.open(otherRow.ciphertext, place({ ...otherRow, base_url_override: null }))).toThrow(
      SealedSecretError,
    )
  })

  test('is in no answer, no log line and no byte of the database or the store', async () => {
    const keys: string[] = []
    const answers: string[] = []
    const { call, owner } = stage.plane
    const remember = (text: string, headers: Headers) => void answers.push(text, JSON.stringify([...headers]))
    for (const word of ['good', 'refused', 'limited', 'broken', 'cut'] as const) {
      const tenantId = await stage.makeTenant()
      const [stored, validated] = [makeKey('openai', word), makeKey('openai', word)]
      keys.push(stored, validated)
      const put = await stage.put(tenantId, 'openai', { api_key: stored })
      const path = `${providersPath(tenantId)}/openai/validate`
      const validate = await call('POST', path, { session: owner.session, body: { api_key: validated } })
      const list = await call('GET', providersPath(tenantId), { session: owner.session })
      for (const { text, headers } of [put, validate, list]) remember(text, headers)
    }
    const tenantId = await stage.makeTenant()
    const shapeless = [`${makeKey()} with space`, makeKey('anthropic')]
    keys.push(...shapeless)
    for (const key of shapeless) {
      const { text, headers } = await stage.put(tenantId, 'openai', { api_key: key })
      remember(text, headers)
    }
    const { product } = stage.plane
    const places = { answers: answers.join('\n'), logs: product.stdout() + product.stderr(), data: await readAllData() }
    expect(places.logs).toContain('/auth/v1/tenants/:tenantId/providers/:providerType')
    for (const [name, text] of Object.entries(places)) {
      for (const key of keys) {
        // A piece of a key is a leak as well; its last four characters are meant to be seen.
        expect(text.includes(key.slice(0, 26)), `${key} in ${name}`).toBe(false)
        expect(text.includes(Buffer.from(key).toString('base64').slice(0, 30)), `${key} in ${name}`).toBe(false)
      }
    }
    // The search finds what is there.
    expect(places.data).toContain(keys[0]?.slice(-4))
  })

  /** Every byte of the folder, or every row of every table and every value of the store. */
  async function readAllData(): Promise<string> {
    const { dataDir, query } = stage.plane
    if (dataDir !== null) {
      const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
      expect(files.map(entry => entry.name)).toContain('sallyport.db')
      return files.map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n')
    }
    const tables = await query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    const rows = await Promise.all(tables.map(({ name }) => query(`select t::text as row from ${name} t`)))
    return JSON.stringify(rows) + (await readStore())
  }

  async function readStore(): Promise<string> {
    const client = await createClient({ url: stage.plane.redis?.url ?? '' }).connect()
    try {
      const values: unknown[] = []
      for (const key of await client.keys('*')) {
        const type = await client.type(key)
        if (type === 'hash') values.push(await client.hGetAll(key))
        else if (type === 'string') values.push(await client.get(key))
      }
      expect(JSON.stringify(values)).toContain('ciphertext')
      return JSON.stringify(values)
    } finally {
      client.destroy()
    }
  }

  if (backend === 'postgres') {
    test('outlives the loss of the store, which the worker fills again', async () => {
      const tenantId = await stage.makeTenant()
      const { call, owner, redis, product } = stage.plane
      const types = () => call('GET', `${providersPath(tenantId)}?fields=types`, { session: owner.session })
      await redis?.kill()
      const stored = await stage.put(tenantId, 'openai', { api_key: makeKey() })
      expect(stored.status).toBe(200)
      await expect.poll(() => product.stderr()).toContain('store could not be updated')
      const away = await types()
      expect([away.status, away.body]).toEqual([503, { error: 'Key-value store unavailable', retryable: true }])
      await redis?.restart()
      await expect.poll(async () => (await types()).body).toEqual({ provider_types: ['openai'] })
      // Emptied, it must not say that there are no keys.
      const client = await createClient({ url: redis?.url ?? '' }).connect()
      await client.flushAll()
      client.destroy()
      for (let tries = 0; tries < 10; tries++) {
        const { status, body } = await types()
        if (status !== 503) expect(body).toEqual({ provider_types: ['openai'] })
      }
      await redis?.kill()
      const deleted = await call('DELETE', `${providersPath(tenantId)}/openai`, { session: owner.session })
      expect(deleted.status).toBe(204)
      await redis?.restart()
      await expect.poll(async () => (await types()).body).toEqual({ provider_types: [] })
    })
  }
})
