// What the docs have their reader type works as it stands there: docs/start.md from the first login to a deploy, and then
// the commands of the guides, with the project that it made.
import { execFile, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { findBinary } from '../support/find-binary.ts'
import { say } from '../support/provider-answers.ts'
import { startUpstream } from '../support/scripted-upstream.ts'
import { startProduct } from '../support/start-product.ts'
import { temporaryFolder } from './refusal.ts'

const checkout = join(import.meta.dirname, '../../..')
const curl = findBinary('curl') ?? 'curl'
const hasPython = spawnSync('python3', ['--version']).status === 0

/** The blocks of one language in a page, section by section. */
function blocksOf(page: string, language: string, sections = /./): string[] {
  const text = readFileSync(join(checkout, 'docs', page), 'utf8')
  return text
    .split(/^## /m)
    .filter(section => sections.test(section.split('\n')[0] ?? ''))
    .flatMap(section => [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))])
    .map(([, lines = '']) => lines)
}

async function startOpenAi() {
  const provider = await startUpstream()
  onTestFinished(() => provider.close())
  provider.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model' }] } })
  provider.on('POST /v1/chat/completions', say('openai', { text: ['Good day.'] }, false))
  return provider
}

test('docs/start.md, and the guides with the project that it made', async () => {
  const provider = await startOpenAi()
  // Where `data` is in the folder that the lines are typed in.
  const folder = join(temporaryFolder(), 'data')
  const product = await startProduct({ env: { DATA_DIR: folder, OPENAI_BASE_URL: `${provider.url}/v1` } })
  onTestFinished(() => product.kill())
  const start = blocksOf('start.md', 'sh', /^[2-5]\. /)
  expect(start).toHaveLength(4)
  expect(start[0]).toContain('base=http://localhost:8080 ')
  const guides = [...blocksOf('guide-pii-masking.md', 'sh'), ...blocksOf('data-plane.md', 'sh')]
  expect(guides).toHaveLength(4)
  const python = blocksOf('guide-mint.md', 'python')
  expect(python).toHaveLength(1)
  const lines = [
    'set -e',
    ...start,
    ...guides,
    'export SALLYPORT_URL="$base/p/$slug" SALLYPORT_API_KEY="$api_key"',
    ...(hasPython ? [`python3 - <<'END'\n${python[0]}\nprint(mint("user-2"))\nEND`] : []),
  ]
  const script = lines.join('\n').replace('http://localhost:8080', product.baseUrl)
  const env = { PATH: `${process.env.PATH}:${dirname(curl)}`, OPENAI_API_KEY: `sk-${'x'.repeat(40)}` }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script], { cwd: dirname(folder), env })
  expect(stderr).toBe('')
  expect(stdout).toContain('"plan":"pro"')
  expect(stdout).toContain('"key_last4":"xxxx"')
  expect(stdout).toContain('"provider_model":"openai/gpt-4o-mini"')
  expect(stdout.split('"content":"Good day."')).toHaveLength(3)
  expect(stdout).toContain('"cors_origins":["http://localhost:3000"]')
  expect(stdout.split('"deployed":true')).toHaveLength(4)
  expect(stdout).toContain('"pii_mode":"enforce"')
  expect(stdout).toContain('{"data":[],"next_cursor":null}')
  if (hasPython) expect(stdout).toContain("'token_type': 'Bearer'")
  expect(provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${env.OPENAI_API_KEY}`)

  // Step 5: the page's origin may call now.
  const slug = /"slug":"([a-z0-9-]+)"/.exec(await projectsOf(product.baseUrl, folder))?.[1]
  const preflight = await fetch(`${product.baseUrl}/p/${slug}/v1/chat/completions`, {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
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

test('docs/ has every message of the error tables', () => {
  const tables = globSync(['errors.ts', 'errors/*.ts'], { cwd: join(checkout, 'server/src/domain') })
  const read = (folder: string) => (name: string) => readFileSync(join(checkout, folder, name), 'utf8')
  const source = tables.map(read('server/src/domain')).join('\n')
  const messages = [...source.matchAll(/message: (?:'((?:[^'\\]|\\.)+)'|"([^"]+)")/g)].map(([, a, b]) => a ?? b ?? '')
  expect(messages.length).toBeGreaterThan(80)
  const pages = globSync('*.md', { cwd: join(checkout, 'docs') })
    .map(read('docs'))
    .join('\n')
  expect(messages.filter(message => !pages.includes(`\`${message}`))).toEqual([])
})
