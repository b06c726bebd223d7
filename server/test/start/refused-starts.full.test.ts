// Starts of the embedded product that must be refused, through the real process: one clear line and nothing damaged.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSecretBox } from '../../src/crypto/secrets/secret-box.ts'
import { providerKeyContext } from '../../src/providers/provider-key-context.ts'
import { allMigrations } from '../../src/storage/migrations/all-migrations.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { startProduct } from '../support/start-product.ts'
import { contentsOf, expectRefused, temporaryFolder } from './refusal.ts'

/** Of a product that was started once and ended in order. */
let usedOnce: string
beforeAll(async () => {
  usedOnce = mkdtempSync(join(tmpdir(), 'sallyport-used-'))
  await startsAndStops(usedOnce)
})
afterAll(() => rmSync(usedOnce, { recursive: true, force: true }))

/** What a second start finds. */
function usedFolder(): string {
  const folder = temporaryFolder()
  cpSync(usedOnce, folder, { recursive: true, preserveTimestamps: true })
  return folder
}

async function startsAndStops(folder: string): Promise<void> {
  const product = await startProduct({ env: { DATA_DIR: folder } })
  expect(await product.stop()).toBe(0)
}

async function listenSomewhere(): Promise<number> {
  const other = createServer()
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const address = other.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

describe('configuration', () => {
  const cases: [Record<string, string>, string][] = [
    [{ PORT: '80800' }, 'PORT must be a whole number from 0 to 65535, not "80800".'],
    [{ SYNC_INTERVAL: 'soon' }, 'SYNC_INTERVAL must be a number of seconds'],
    [{ ROLE: 'api' }, 'ROLE must be all in embedded mode: roles apart need DATABASE_URL and REDIS_URL.'],
    [{ DATABASE_URL: 'postgres://a:hidden@127.0.0.1/b' }, 'REDIS_URL is not set: distributed mode needs both'],
    [{ REDIS_URL: 'redis://:hidden@127.0.0.1' }, 'DATABASE_URL is not set: distributed mode needs both'],
    [
      { DATABASE_URL: 'postgres://a:hidden@127.0.0.1/b', REDIS_URL: 'redis://127.0.0.1' },
      'ADMIN_SECRET is not set: it is required in distributed mode.',
    ],
    [{ ADMIN_SECRET: 'hidden' }, 'ADMIN_SECRET must be printable ASCII of 16 characters or more.'],
    [{ JWT_PRIVATE_KEY: 'hidden' }, 'JWT_PRIVATE_KEY must be an unencrypted RSA private key'],
    [{ DNS_PROVIDER: 'rfc2136' }, 'DNS_TARGET is not set: DNS_PROVIDER rfc2136 needs it.'],
  ]

  test.each(cases)('%j', async (env, words) => {
    const folder = join(temporaryFolder(), 'data')
    const { sentence } = await expectRefused({ DATA_DIR: folder, ...env })
    expect(sentence).toContain(words)
    expect(sentence).not.toContain('hidden')
    expect(contentsOf(folder)).toEqual({})
  })

  test('a default model that is misspelt, with a new folder and with a used one', async () => {
    const wrong = { PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mnii' }
    const words =
      'PLATFORM_DEFAULT_MODEL names a model that the registry does not know: openai/gpt-4o-mnii. Correct it, or start without it and add the model with sync-models first.'
    const folder = join(temporaryFolder(), 'data')
    expect((await expectRefused({ DATA_DIR: folder, ...wrong })).sentence).toBe(words)
    const right = await startProduct({ env: { DATA_DIR: folder, PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini' } })
    // The refused start has made no first user and lost its password.
    await expect.poll(right.stdout).toContain('Password, shown only once')
    expect(await right.stop()).toBe(0)
    expect((await expectRefused({ DATA_DIR: folder, ...wrong })).sentence).toBe(words)
  })

  test('an unknown argument', async () => {
    const folder = join(temporaryFolder(), 'data')
    const { sentence } = await expectRefused({ DATA_DIR: folder }, ['--prot=1'])
    expect(sentence).toBe('Unknown argument --prot=1: only --port, --help and --version are known.')
    expect(contentsOf(folder)).toEqual({})
  })
})

describe('the listener', () => {
  test('a taken port, with a new folder and with a used one', async () => {
    const port = await listenSomewhere()
    const words = `PORT ${port} is already in use on 127.0.0.1.`
    const fresh = join(temporaryFolder(), 'data')
    expect((await expectRefused({ DATA_DIR: fresh, PORT: String(port) })).sentence).toBe(words)
    expect(contentsOf(fresh)).toEqual({})
    const used = usedFolder()
    const before = contentsOf(used)
    expect((await expectRefused({ DATA_DIR: used, PORT: String(port) })).sentence).toBe(words)
    expect(contentsOf(used)).toEqual(before)
  })

  test.each([
    ['192.0.2.1', 'EADDRNOTAVAIL'],
    ['no-such-host.invalid', 'ENOTFOUND|EAI_AGAIN'],
  ])('HOST %s, which is not of this machine', async (host, code) => {
    const folder = join(temporaryFolder(), 'data')
    const { sentence } = await expectRefused({ DATA_DIR: folder, HOST: host })
    expect(sentence).toMatch(new RegExp(`^HOST ${host} with PORT \\d+ cannot be listened on \\((${code})\\)\\.$`))
    expect(contentsOf(folder)).toEqual({})
  })
})

describe('the data folder', () => {
  test('in use by another process, on another port and on the same', async () => {
    const folder = temporaryFolder()
    const first = await startProduct({ env: { DATA_DIR: folder } })
    const words = `The data folder ${folder} is in use by another process.`
    expect((await expectRefused({ DATA_DIR: folder })).sentence).toBe(words)
    expect((await expectRefused({ DATA_DIR: folder, PORT: String(first.port) })).sentence).toBe(words)
    expect((await fetch(`${first.baseUrl}/readyz`)).status).toBe(200)
    expect(await first.stop()).toBe(0)
    await startsAndStops(folder)
  })

  test('a file in its place, or above it', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, 'mine')
    for (const folder of [file, join(file, 'data')]) {
      const { sentence } = await expectRefused({ DATA_DIR: folder })
      expect(sentence).toContain(`The data folder ${folder} cannot be used: `)
    }
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test('a place where it may not write', async () => {
    const closed = temporaryFolder()
    chmodSync(closed, 0o500)
    // Root may write anywhere but here.
    const places = process.platform === 'linux' ? ['/proc/sallyport'] : []
    if (process.getuid?.() !== 0) places.push(closed)
    for (const folder of places) {
      const { sentence } = await expectRefused({ DATA_DIR: folder })
      expect(sentence).toContain(`The data folder ${folder} cannot be used: `)
    }
    expect(contentsOf(closed)).toEqual({ '.': '500' })
  })
})

describe('the database', () => {
  const { log } = createMemoryLog()
  const open = (dataDir: string, migrations = allMigrations) =>
    openDatabase({ databaseUrl: null, dataDir, log, now: Date.now, migrations })

  test('of an older schema is migrated', async () => {
    const folder = temporaryFolder()
    const old = await open(folder, allMigrations.slice(0, 1))
    await old.sql.insertInto('tenants').values(tenantRow).execute()
    await old.close()
    await startsAndStops(folder)
    const current = await open(folder)
    expect(await current.sql.selectFrom('tenants').selectAll().execute()).toEqual([
      { ...tenantRow, require_second_factor: 0, deleted_at: null },
    ])
    await current.close()
  })

  test('of a newer schema is refused, byte for byte as it was', async () => {
    const folder = usedFolder()
    const newer = { name: '9999-of-tomorrow', statements: ['create table of_tomorrow (id TEXT primary key)'] }
    await (await open(folder, [...allMigrations, newer])).close()
    const before = contentsOf(folder)
    const { sentence } = await expectRefused({ DATA_DIR: folder })
    expect(sentence).toMatch(/^The database schema is newer than this version: it has 9999-of-tomorrow/)
    expect(contentsOf(folder)).toEqual(before)
  })

  test('that is damaged is refused, byte for byte as it was', async () => {
    const folder = usedFolder()
    const file = join(folder, 'sallyport.db')
    const bytes = readFileSync(file)
    bytes.fill(0x5a, 3 * 4096, 20 * 4096)
    writeFileSync(file, bytes)
    // As after a kill: only then is the file read as a whole.
    writeFileSync(join(folder, 'sallyport.running'), '')
    const before = contentsOf(folder)
    const { sentence } = await expectRefused({ DATA_DIR: folder })
    expect(sentence).toMatch(/sallyport\.db is corrupt \(.+\); replace it by a backup with npm run db:restore\.$/)
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(contentsOf(folder)).toEqual(before)
  })

  test('that is no database at all is refused, byte for byte as it was', async () => {
    const folder = usedFolder()
    writeFileSync(join(folder, 'sallyport.db'), 'no database\n'.repeat(1000))
    const before = contentsOf(folder)
    const { sentence } = await expectRefused({ DATA_DIR: folder })
    expect(sentence).toContain('is corrupt (file is not a database)')
    expect(contentsOf(folder)).toEqual(before)
  })
})

describe('the secrets', () => {
  test.each(['admin-secret', 'encryption-key', 'jwt-private-key.pem'])('garbage in %s', async name => {
    const folder = usedFolder()
    const path = join(folder, name)
    const kept = readFileSync(path)
    writeFileSync(path, 'hunter2\n')
    const before = contentsOf(folder)
    const { sentence } = await expectRefused({ DATA_DIR: folder })
    expect(sentence).toBe(`${path} is not a valid secret file; restore it from a backup or remove it.`)
    expect(contentsOf(folder)).toEqual(before)
    writeFileSync(path, kept)
    await startsAndStops(folder)
  })

  test('another signing key under the same kid', async () => {
    const folder = usedFolder()
    const path = join(folder, 'jwt-private-key.pem')
    const kept = join(temporaryFolder(), 'kept.pem')
    copyFileSync(path, kept)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const { sentence } = await expectRefused({ DATA_DIR: folder })
    expect(sentence).toMatch(/^JWT_KEY_ID belongs to another key than JWT_PRIVATE_KEY: give the new key a new kid/)
    const renamed = await startProduct({ env: { DATA_DIR: folder, JWT_KEY_ID: 'second' } })
    expect(await renamed.stop()).toBe(0)
    rmSync(path)
    copyFileSync(kept, path)
    await startsAndStops(folder)
    const database = new DatabaseSync(join(folder, 'sallyport.db'))
    expect(database.prepare('select kid from signing_keys order by kid').all()).toHaveLength(2)
    database.close()
  })

  test('another previous key under the kid of the current one; no password is made and lost', async () => {
    const folder = join(temporaryFolder(), 'data')
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const twin = { ...publicKey.export({ format: 'jwk' }), kid: 'default', use: 'sig', alg: 'RS256' }
    const { sentence } = await expectRefused({ DATA_DIR: folder, JWT_PREVIOUS_KEYS: JSON.stringify([twin]) })
    expect(sentence).toBe('JWT_PREVIOUS_KEYS has another key with the kid in JWT_KEY_ID.')
    const product = await startProduct({ env: { DATA_DIR: folder } })
    await expect.poll(product.stdout).toContain('Password, shown only once')
    expect(await product.stop()).toBe(0)
  })
})

describe('the encryption key', () => {
  const [old, current] = [randomBytes(32), randomBytes(32)].map(key => key.toString('base64'))
  const rotated = { ENCRYPTION_KEY: current ?? '', ENCRYPTION_PREVIOUS_KEYS: old ?? '' }
  const place = { tenantId: 'tenant', rowId: 'key', providerType: 'openai', baseUrlOverride: null }
  const box = createSecretBox({ current: Buffer.from(old ?? '', 'base64'), previous: [] })

  async function folderWithKey(): Promise<string> {
    const folder = temporaryFolder()
    const { sql, close } = await openDatabase({
      databaseUrl: null,
      dataDir: folder,
      log: createMemoryLog().log,
      now: Date.now,
    })
    const ciphertext = box.seal('sk-secret', providerKeyContext(place))
    await sql.insertInto('tenants').values(tenantRow).execute()
    await sql
      .insertInto('provider_keys')
      .values({
        id: 'key',
        tenant_id: 'tenant',
        provider_type: 'openai',
        ciphertext,
        key_last4: 'cret',
        base_url_override: null,
        key_set_at: 1,
      })
      .execute()
    await close()
    return folder
  }

  function readCiphertext(folder: string): string {
    const database = new DatabaseSync(join(folder, 'sallyport.db'), { readOnly: true })
    const row = database.prepare('select ciphertext from provider_keys').get()
    database.close()
    return String(row?.['ciphertext'])
  }

  test('that opens nothing of what is stored is refused, and the earlier one beside it heals', async () => {
    const folder = await folderWithKey()
    const { sentence } = await expectRefused({ DATA_DIR: folder, ENCRYPTION_KEY: current ?? '' })
    expect(sentence).toMatch(/^ENCRYPTION_KEY does not open the stored provider keys: /)
    const before = readCiphertext(folder)
    const product = await startProduct({ env: { DATA_DIR: folder, ...rotated } })
    await expect.poll(() => readCiphertext(folder)).not.toBe(before)
    expect(await product.stop()).toBe(0)
    // From here on the earlier key is not needed any more.
    const alone = await startProduct({ env: { DATA_DIR: folder, ENCRYPTION_KEY: current ?? '' } })
    expect(await alone.stop()).toBe(0)
  })

  test('that does not open the secret of a webhook is refused too', async () => {
    const folder = temporaryFolder()
    const log = createMemoryLog().log
    const { sql, close } = await openDatabase({ databaseUrl: null, dataDir: folder, log, now: Date.now })
    const webhook = { id: 'w', tenant_id: 'tenant', url: '', types: null, ciphertext: 'v1.other.a.b', created_at: 1 }
    const state = { previous_until: null, due_at: null, is_slow: 0 as const, claim: null, claimed_until: 0 }
    await sql
      .insertInto('webhooks')
      .values({ ...webhook, ...state })
      .execute()
    await close()
    const { sentence } = await expectRefused({ DATA_DIR: folder, ENCRYPTION_KEY: current ?? '' })
    expect(sentence).toMatch(/^ENCRYPTION_KEY does not open the stored secrets of webhooks: /)
  })
})

const tenantRow = { id: 'tenant', name: 'Old', plan: 'free' as const, provider_keys_revision: 0, created_at: 1 }
