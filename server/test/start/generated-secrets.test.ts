// Generated secrets on a real disk: made once, closed to others, never half a file, one for all who start at once.
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { StartupProblem } from '../../src/domain/startup-problem.ts'
import { completeSecrets } from '../../src/start/generated-secrets.ts'

const names = ['admin-secret', 'encryption-key', 'jwt-private-key.pem']
let folder: string
let dataDir: string
let warnings: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-secrets-'))
  dataDir = join(folder, 'deep', 'data')
  warnings = []
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const start = (environment: Record<string, string> = {}) =>
  completeSecrets(loadConfig({ DATA_DIR: dataDir, ...environment }), message => warnings.push(message))
const modeOf = (path: string) => statSync(path).mode & 0o777
const comparable = (secrets: Awaited<ReturnType<typeof start>>) => ({
  ...secrets,
  jwtPrivateKey: secrets.jwtPrivateKey.export({ format: 'jwk' }),
})

test('a first start makes three closed files in a closed folder, and nothing else', async () => {
  const secrets = await start()
  expect(secrets.adminSecret.length).toBeGreaterThanOrEqual(43)
  expect(secrets.encryptionKey).toHaveLength(32)
  expect(secrets.jwtPrivateKey.asymmetricKeyDetails?.modulusLength).toBe(2048)
  expect(readdirSync(dataDir).toSorted()).toEqual(names)
  expect(modeOf(dataDir)).toBe(0o700)
  expect(names.map(name => modeOf(join(dataDir, name)))).toEqual([0o600, 0o600, 0o600])
  expect(readFileSync(join(dataDir, 'admin-secret'), 'utf8')).toBe(`${secrets.adminSecret}\n`)
  expect(warnings).toEqual([])
})

test('a second start uses what the first one made; another folder gets others', async () => {
  const first = comparable(await start())
  expect(comparable(await start())).toEqual(first)
  const other = comparable(await start({ DATA_DIR: join(folder, 'other') }))
  expect(other.adminSecret).not.toBe(first.adminSecret)
  expect(other.encryptionKey).not.toEqual(first.encryptionKey)
  expect(other.jwtPrivateKey).not.toEqual(first.jwtPrivateKey)
})

test('the environment comes first, and with all three given the folder is not touched', async () => {
  const { encryptionKey, jwtPrivateKey } = await start({ DATA_DIR: join(folder, 'source') })
  const secrets = await start({
    ADMIN_SECRET: 'an admin secret of enough length',
    ENCRYPTION_KEY: encryptionKey.toString('base64'),
    JWT_PRIVATE_KEY: jwtPrivateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  })
  expect(secrets.adminSecret).toBe('an admin secret of enough length')
  expect(existsSync(dataDir)).toBe(false)
})

test('a file that is open to others is closed, with a warning that names it and not its content', async () => {
  const { adminSecret } = await start()
  chmodSync(join(dataDir, 'admin-secret'), 0o644)
  expect((await start()).adminSecret).toBe(adminSecret)
  expect(modeOf(join(dataDir, 'admin-secret'))).toBe(0o600)
  expect(warnings).toEqual([`${join(dataDir, 'admin-secret')} was open to other users; its mode is 0600 now.`])
})

test('a folder that others can write is named, not changed', async () => {
  mkdirSync(dataDir, { recursive: true })
  chmodSync(dataDir, 0o777)
  await start()
  expect(modeOf(dataDir)).toBe(0o777)
  expect(warnings[0]).toBe(`${dataDir} can be changed by other users; secrets in it can be replaced.`)
})

test.each([
  ['admin-secret', 'tooshort\n'],
  ['admin-secret', ''],
  ['encryption-key', 'not a key at all but quite long enough to be one'],
  ['jwt-private-key.pem', '-----BEGIN PRIVATE KEY-----\nMIIEv\n-----END PRIVATE KEY-----\n'],
])('garbage in %s stops the start, and the file stays as it was: %#', async (name, garbage) => {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, name), garbage, { mode: 0o600 })
  const problem: unknown = await start().catch((fault: unknown) => fault)
  expect(problem).toBeInstanceOf(StartupProblem)
  expect(String(problem)).toContain(`${join(dataDir, name)} is not a valid secret file`)
  if (garbage) expect(String(problem)).not.toContain(garbage.trim())
  expect(readFileSync(join(dataDir, name), 'utf8')).toBe(garbage)
})

test.each<[string, () => void]>([
  ['a folder where the file should be', () => mkdirSync(join(dataDir, 'admin-secret'), { recursive: true })],
  ['a file where the folder should be', () => writeFileSync(join(folder, 'deep'), '')],
])('%s stops the start in one sentence', async (_, arrange) => {
  arrange()
  const problem: unknown = await start().catch((fault: unknown) => fault)
  expect(problem).toBeInstanceOf(StartupProblem)
  expect((problem as StartupProblem).message).toMatch(
    /admin-secret cannot be read or created \((EISDIR|ENOTDIR|EEXIST)\)\.$/,
  )
})

test('processes that start at once agree on one set of secrets', async () => {
  const script = `
    import { loadConfig } from ${JSON.stringify(join(import.meta.dirname, '../../src/config/config.ts'))}
    import { completeSecrets } from ${JSON.stringify(join(import.meta.dirname, '../../src/start/generated-secrets.ts'))}
    const { adminSecret, encryptionKey, jwtPrivateKey } = await completeSecrets(loadConfig(), () => {})
    console.log([adminSecret, encryptionKey.toString('base64'), jwtPrivateKey.export({ format: 'jwk' }).n].join())`
  for (let round = 0; round < (inject('prove') ? 20 : 2); round++) {
    const env = { PATH: process.env.PATH, DATA_DIR: join(folder, `round-${round}`) }
    const starts = Array.from({ length: 4 }, () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env }),
    )
    const answers = (await Promise.all(starts)).map(({ stdout }) => stdout.trim())
    expect(answers[0]!.length).toBeGreaterThan(300)
    expect(new Set(answers).size).toBe(1)
    expect(readdirSync(env.DATA_DIR).toSorted()).toEqual(names)
  }
})

test('starters within one process agree too, and one of them made the secret', async () => {
  const secrets = await Promise.all(Array.from({ length: 20 }, () => start()))
  expect(new Set(secrets.map(({ adminSecret }) => adminSecret)).size).toBe(1)
  expect(new Set(secrets.map(({ encryptionKey }) => encryptionKey.toString('hex'))).size).toBe(1)
  expect(readdirSync(dataDir).toSorted()).toEqual(names)
})
