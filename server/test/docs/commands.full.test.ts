// The commands of the documentation work as they stand there: docs/start.md from the first login to a deploy, then the
// commands of other pages with the project that it made.
import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { answerOf, messageItem } from '../providers/protocols/responses/responses-wire.ts'
import { temporaryFolder } from '../start/refusal.ts'
import { findBinary } from '../support/programs/find-binary.ts'
import { say } from '../support/simulated/provider-answers.ts'
import { startUpstream } from '../support/simulated/scripted-upstream.ts'
import { startProduct } from '../support/start-product.ts'
import { checkout } from './fences.ts'
import { fencesOf } from './runners.ts'

const curl = findBinary('curl') ?? 'curl'

/** The code of a page's fences; fails when there are more or fewer. */
function codeOf(page: string, count: number): string[] {
  const fences = fencesOf('docs/commands.full.test.ts', page)
  expect(fences, page).toHaveLength(count)
  return fences.map(({ code }) => code)
}

function fill(code: string, ...places: [placeholder: string, value: string][]): string {
  return places.reduce((text, [placeholder, value]) => {
    if (!text.includes(placeholder)) throw new Error(`there is no ${placeholder} in ${code}`)
    return text.replaceAll(placeholder, value)
  }, code)
}

async function startOpenAi() {
  const provider = await startUpstream()
  onTestFinished(() => provider.close())
  provider.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model' }] } })
  provider.on('POST /v1/chat/completions', say('openai', { text: ['Good day.'] }, false))
  provider.on('POST /v1/responses', { body: answerOf([messageItem('msg_1', 'Good day.')]) })
  return provider
}

/** What docs/deployment.md has the operator generate. */
function generateSecrets(): { ENCRYPTION_KEY: string; JWT_PRIVATE_KEY: string } {
  const [code = ''] = codeOf('docs/deployment.md', 1)
  const [secret = '', ENCRYPTION_KEY = '', JWT_PRIVATE_KEY = ''] = execFileSync('sh', ['-c', code], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).split('\n')
  expect(secret).toMatch(/^[0-9a-f]{48}$/)
  return { ENCRYPTION_KEY, JWT_PRIVATE_KEY }
}

/** All commands in the order of the guides; the product is at `baseUrl`. */
function makeScript(baseUrl: string): string {
  const [, start = '', ...steps] = codeOf('docs/start.md', 6).slice(0, 5)
  const identityProvider = fill(
    codeOf('docs/guide-identity-providers.md', 1)[0] ?? '',
    ['"issuer":"…"', '"issuer":"https://issuer.example"'],
    ['"jwks_url":"…"', `"jwks_url":"${baseUrl}/.well-known/jwks.json"`],
    ['"audience":"…"', '"audience":"chat"'],
  )
  const publicKey = fill(codeOf('docs/operations.md', 1)[0] ?? '', [
    'JWT_PRIVATE_KEY=…',
    'JWT_PRIVATE_KEY="$JWT_PRIVATE_KEY"',
  ])
  return [
    'set -e',
    fill(start, ['http://localhost:8080', baseUrl]),
    ...steps,
    ...codeOf('docs/guide-pii-masking.md', 3),
    ...codeOf('docs/data-plane.md', 1),
    ...codeOf('docs/responses.md', 1),
    ...codeOf('docs/messages.md', 1),
    ...codeOf('docs/prompts.md', 1),
    'BASE_URL="$base" PROJECT="$id" SESSION="$session"',
    ...codeOf('docs/end-users.md', 1),
    ...codeOf('docs/guide-siem.md', 3),
    ...codeOf('docs/guide-rotate-secrets.md', 4),
    identityProvider,
    publicKey,
  ].join('\n')
}

test('docs/start.md, and the other pages with the project that it made', async () => {
  const provider = await startOpenAi()
  // The commands read files in `data`, in the folder where they are typed.
  const folder = join(temporaryFolder(), 'data')
  const secrets = generateSecrets()
  const product = await startProduct({
    env: { DATA_DIR: folder, OPENAI_BASE_URL: `${provider.url}/v1`, OUTBOUND_ALLOW: '127.0.0.1', ...secrets },
  })
  onTestFinished(() => product.kill())
  const key = `sk-${'x'.repeat(40)}`
  const env = { PATH: `${process.env.PATH}:${dirname(curl)}`, OPENAI_API_KEY: key, ...secrets }
  const script = makeScript(product.baseUrl)
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script], { cwd: dirname(folder), env })
  expect(stderr).toBe('')
  expect(stdout).toContain('"plan":"pro"')
  expect(stdout).toContain('"key_last4":"xxxx"')
  expect(stdout).toContain('"provider_model":"openai/gpt-4o-mini"')
  expect(stdout.split('"content":"Good day."')).toHaveLength(4)
  expect(stdout).toContain('"id":"resp_1"')
  expect(stdout).toMatch(/"type":"message".*"text":"Good day\.".*"stop_reason":"end_turn"/)
  expect(stdout).toMatch(/\{"input_tokens":\d+\}/)
  expect(stdout).toContain('"cors_origins":["http://localhost:3000"]')
  expect(stdout.split('"deployed":true')).toHaveLength(5)
  expect(stdout).toContain('"pii_mode":"enforce"')
  expect(stdout).toContain('{"data":[],"next_cursor":null}')
  expect(stdout).toMatch(/"uid":"alice","blocked_at":"[^"]+","reason":"Spam"/)
  expect(stdout).toContain('"issuer":"https://issuer.example"')
  const [publicKey] = JSON.parse(/\[\{"kty".*$/.exec(stdout.trim())?.[0] ?? '[]') as { kid: string; n: string }[]
  const { keys } = (await (await fetch(`${product.baseUrl}/.well-known/jwks.json`)).json()) as { keys: { n: string }[] }
  expect(publicKey).toMatchObject({ kid: 'second', n: keys[0]?.n })
  // Of the guide for SIEMs: the entry with this number, and exports of which nothing is a minute old.
  expect(stdout).toContain('"action":"project.create"')
  expect(readdirSync(dirname(folder))).toEqual(expect.arrayContaining(['tenant.ndjson', 'installation.ndjson']))
  expect(stdout).toContain('"message":"API key revoked"')
  expect(provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)

  // Step 5: the page's origin may call now.
  const slug = /"slug":"([a-z0-9-]+)"/.exec(await projectsOf(product.baseUrl, folder))?.[1]
  const preflight = await fetch(`${product.baseUrl}/p/${slug}/v1/chat/completions`, {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')

  await product.stop()
  const [backup = ''] = codeOf('docs/storage.md', 1)
  const commands = fill(backup, ['FILE', join(dirname(folder), 'backup.db')])
  const said = await promisify(execFile)('sh', ['-ec', commands], { cwd: checkout, env: { ...env, DATA_DIR: folder } })
  expect(said.stdout).toContain(`The database is backed up to ${join(dirname(folder), 'backup.db')}.`)
  expect(said.stdout).toContain(`The database is restored from ${join(dirname(folder), 'backup.db')}.`)
})

async function projectsOf(baseUrl: string, folder: string): Promise<string> {
  const password = readFileSync(join(folder, 'initial-password'), 'utf8').trim()
  const login = await fetch(`${baseUrl}/auth/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@localhost', password }),
  })
  const { session_token: token, user } = (await login.json()) as {
    session_token: string
    user: { tenants: { id: string }[] }
  }
  const headers = { authorization: `Bearer ${token}` }
  return await (await fetch(`${baseUrl}/auth/v1/tenants/${user.tenants[0]?.id}/projects`, { headers })).text()
}

test('docs/sdk.md: an application installs the SDK from a clone', async () => {
  const folder = temporaryFolder()
  symlinkSync(checkout, join(folder, 'sallyport'))
  const cwd = join(folder, 'app')
  await mkdir(cwd)
  const [install = ''] = codeOf('docs/sdk.md', 1)
  const check = 'node -e "import(\'@sallyport/sdk\').then(sdk => console.log(typeof sdk.createSallyport))"'
  const env = { PATH: process.env.PATH, HOME: folder, npm_config_offline: 'true' }
  const { stdout } = await promisify(execFile)('sh', ['-ec', `${install}${check}`], { cwd, env })
  expect(stdout).toMatch(/^function$/m)
})
