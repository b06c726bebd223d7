// The first dashboard user: made once, by one of many, its password told once and kept from everybody else.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createPasswordHasher } from '../../../src/crypto/secrets/password.ts'
import { bootstrapUser } from '../../../src/management/people/bootstrap-user.ts'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { createMemoryLog } from '../../kv/stores.ts'
import { createDatabase } from '../../support/postgres.ts'
import { startProduct } from '../../support/start-product.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bootstrap-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function start(env: Record<string, string>) {
  const product = await startProduct({ env })
  onTestFinished(async () => {
    await product.stop()
  })
  const signIn = async (email: string, password: string) =>
    (
      await fetch(`${product.baseUrl}/auth/v1/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      })
    ).status
  return { product, signIn }
}

test('a generated password is printed once, kept in a file of the owner alone, and logged nowhere', async () => {
  const DATA_DIR = temporaryFolder()
  const first = await start({ DATA_DIR })
  const file = join(DATA_DIR, 'initial-password')
  const password = readFileSync(file, 'utf8').trim()
  expect(password.length).toBeGreaterThanOrEqual(20)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect.poll(first.product.stdout).toContain(`First dashboard user: admin@localhost\n`)
  expect(first.product.stdout().split(password)).toHaveLength(2)
  expect(first.product.stderr()).not.toContain(password)
  expect(await first.signIn('admin@localhost', password)).toBe(200)
  await first.product.stop()
  const second = await start({ DATA_DIR })
  expect(second.product.stdout()).not.toContain('First dashboard user')
  expect(second.product.stdout() + second.product.stderr()).not.toContain(password)
  expect(await second.signIn('admin@localhost', password)).toBe(200)
})

test('a chosen password is told nobody, and chosen anew changes nothing', async () => {
  const DATA_DIR = temporaryFolder()
  const chosen = { BOOTSTRAP_EMAIL: 'Boss@Example.com', BOOTSTRAP_PASSWORD: 'a chosen password' }
  const first = await start({ DATA_DIR, ...chosen })
  await expect.poll(first.product.stdout).toMatch(/First dashboard user: boss@example\.com\n/i)
  expect(first.product.stdout() + first.product.stderr()).not.toContain(chosen.BOOTSTRAP_PASSWORD)
  expect(await first.signIn('boss@example.com', chosen.BOOTSTRAP_PASSWORD)).toBe(200)
  await first.product.stop()
  const second = await start({ DATA_DIR, ...chosen, BOOTSTRAP_PASSWORD: 'another password' })
  expect(await second.signIn('boss@example.com', 'another password')).toBe(401)
  expect(await second.signIn('boss@example.com', chosen.BOOTSTRAP_PASSWORD)).toBe(200)
})

test('a short password is refused at start', async () => {
  const product = await startProduct({
    env: { BOOTSTRAP_EMAIL: 'a@b.c', BOOTSTRAP_PASSWORD: 'elevenchars' },
    waitForReady: false,
  })
  expect(await product.exitCode).toBe(1)
  expect(product.stderr()).toMatch(/^BOOTSTRAP_PASSWORD must be/m)
  expect(product.stderr()).not.toContain('elevenchars')
})

test('eight copies that start at once on one PostgreSQL make one user, and one knows that it did', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'))
  const { log } = createMemoryLog()
  const open = () => openDatabase({ databaseUrl, dataDir: '', log, now: Date.now, poolSize: 2 })
  const databases = await Promise.all(Array.from({ length: 8 }, open))
  onTestFinished(async () => {
    await Promise.all(databases.map(database => database.close()))
  })
  const passwords = createPasswordHasher({ concurrency: 2 })
  const made = await Promise.all(
    databases.map(({ sql }, index) => {
      const randomId = () => `00000000-0000-4000-8000-00000000000${index}`
      return bootstrapUser(
        { sql, passwords, now: Date.now, randomId },
        `copy${index}@example.com`,
        async () => 'a password',
      )
    }),
  )
  expect(made.filter(Boolean)).toHaveLength(1)
  const users = await databases[0]?.sql.selectFrom('users').select('email').execute()
  expect(users).toEqual([{ email: `copy${made.indexOf(true)}@example.com` }])
})

test('a user is made again where none is left', async () => {
  const dataDir = temporaryFolder()
  const { log } = createMemoryLog()
  const database = await openDatabase({ databaseUrl: null, dataDir, log, now: Date.now })
  onTestFinished(() => database.close())
  const { sql } = database
  const passwords = createPasswordHasher({ concurrency: 1 })
  const make = (id: string) =>
    bootstrapUser({ sql, passwords, now: Date.now, randomId: () => id }, 'a@b.c', async () => 'a password')
  expect([await make('1'), await make('2')]).toEqual([true, false])
  await sql.deleteFrom('users').execute()
  expect(await make('3')).toBe(true)
})
