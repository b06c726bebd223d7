// The signing key and the encryption key exchanged under two running copies, by the steps of docs/operations.md: every
// copy answers all the while, and in the end neither old key is needed.
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startUpstream } from '../support/simulated/scripted-upstream.ts'
import type { Product } from '../support/start-product.ts'
import { ask, createWorld, type DistributedWorld, signIn } from './distributed-world.ts'
import { type FleetProject, prepareProject, scriptProvider } from './fleet.ts'

/** By the documented command. */
function publicJwksOf(privateKey: string, kid: string): string {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
  const program = /^JWT_PRIVATE_KEY=… JWT_KEY_ID=\S+ node -e '([^']+)'$/m.exec(text)?.[1] ?? ''
  const env = { JWT_PRIVATE_KEY: privateKey, JWT_KEY_ID: kid }
  return execFileSync(process.execPath, ['-e', program], { env, encoding: 'utf8' }).trim()
}

async function mint(copy: Product, { apiKey }: FleetProject): Promise<string> {
  const bearer = { authorization: `Bearer ${apiKey}` }
  const { access_token } = await ask<{ access_token: string }>(copy, 'POST', '/auth/v1/auth/mint', bearer, {
    user_id: 'alice',
  })
  return access_token
}

async function complete({ baseUrl }: Product, { slug }: FleetProject, token: string) {
  const response = await fetch(`${baseUrl}/p/${slug}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
  })
  return { status: response.status, text: await response.text() }
}

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid

async function markOf({ database }: DistributedWorld): Promise<string> {
  const { rows } = await database.query<{ ciphertext: string }>('select ciphertext from provider_keys')
  return rows.map(({ ciphertext }) => ciphertext.split('.')[1]).join()
}

function makeKeys() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    encryption: randomBytes(32).toString('base64'),
  }
}

async function expectAllServed(copies: Product[], project: FleetProject, tokens: string[]): Promise<void> {
  for (const copy of copies) tokens.push(await mint(copy, project))
  for (const copy of copies) {
    for (const token of tokens) {
      expect(await complete(copy, project, token)).toMatchObject({ status: 200 })
    }
  }
}

test('signing key and encryption key are rotated without a failed request', async () => {
  const world = await createWorld()
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  scriptProvider(upstream)
  const oldKeys = { signing: world.env.JWT_PRIVATE_KEY ?? '', encryption: world.env.ENCRYPTION_KEY ?? '' }
  const newKeys = makeKeys()
  const shared = { BASE_URL: 'http://localhost:8080', OPENAI_BASE_URL: `${upstream.url}/v1`, LOG_LEVEL: 'warn' }
  let keys: Record<string, string> = {}
  const start = (role: string) => world.start({ ...shared, ...keys, ROLE: role })
  const served = 'api,gateway,inference'
  let [worker, ...copies] = await Promise.all([start('worker'), start(served), start(served)])
  const project = await prepareProject(copies[0], await signIn(copies[0]), {})
  const tokens = [project.token]

  /** Every token that was ever minted, and a new one of each copy, at each copy. */
  const expectServed = () => expectAllServed(copies, project, tokens)
  async function restart() {
    const restarting = worker.stop().then(() => start('worker'))
    for (const index of [0, 1] as const) {
      expect(await copies[index].stop()).toBe(0)
      copies[index] = await start(served)
      await expectServed()
    }
    worker = await restarting
  }

  await expectServed()
  const oldMark = await markOf(world)
  keys = {
    JWT_PREVIOUS_KEYS: publicJwksOf(newKeys.signing, 'second'),
    ENCRYPTION_PREVIOUS_KEYS: newKeys.encryption,
  }
  await restart()
  expect(await markOf(world)).toBe(oldMark)
  keys = {
    JWT_PRIVATE_KEY: newKeys.signing,
    JWT_KEY_ID: 'second',
    JWT_PREVIOUS_KEYS: publicJwksOf(oldKeys.signing, 'default'),
    ENCRYPTION_KEY: newKeys.encryption,
    ENCRYPTION_PREVIOUS_KEYS: oldKeys.encryption,
  }
  await restart()
  expect(kidOf(tokens.at(-1) ?? '')).toBe('second')
  await expect.poll(() => markOf(world), { interval: 100 }).not.toBe(oldMark)
  // What signed and sealed before goes for good, and with it the tokens of the old key.
  keys = { ...keys, ENCRYPTION_PREVIOUS_KEYS: '', JWT_PREVIOUS_KEYS: '[]' }
  const [oldToken = ''] = tokens
  tokens.splice(0, tokens.length, ...tokens.filter(token => kidOf(token) === 'second'))
  expect(await copies[0].stop()).toBe(0)
  copies[0] = await start(served)
  await expectServed()
  expect((await complete(copies[0], project, oldToken)).status).toBe(401)
})
