// From an empty folder with nothing but the installed package: start, sign in, describe a project in a file, mint, stream
// an answer, follow the requests, roll back and stop the project. No dashboard, and no other program.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort, type ServerProcess, waitUntilReady } from '../support/server-process.ts'
import { say } from '../support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../support/simulated/scripted-upstream.ts'
import { type Installation, installPackedServer, startCommand } from './packed-server.ts'

const owner = { email: 'owner@example.com', password: 'correct horse battery staple' }

let installation: Installation
let upstream: ScriptedUpstream
beforeAll(async () => {
  installation = installPackedServer()
  upstream = await startUpstream()
  upstream.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model' }] } })
  upstream.on('POST /v1/chat/completions', say('openai', { text: ['Grüße, ', '世界'] }, true))
})
afterAll(async () => {
  await upstream?.close()
  installation?.remove()
})

async function startServer(): Promise<string> {
  const port = await findFreePort()
  const server = await startCommand(process.execPath, installation, [], {
    HOST: '127.0.0.1',
    PORT: String(port),
    BOOTSTRAP_EMAIL: owner.email,
    BOOTSTRAP_PASSWORD: owner.password,
    DEFAULT_PLAN: 'pro',
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    OUTBOUND_ALLOW: '127.0.0.1',
  })
  await waitUntilReady(server, () => server.stdout().includes('Sallyport serves '), 300_000)
  return `http://127.0.0.1:${port}`
}

/** As the browser of the owner does. */
async function approve(url: string, words: string): Promise<void> {
  const post = async (path: string, body: object, session?: string) => {
    const headers = { 'content-type': 'application/json', ...(session && { authorization: `Bearer ${session}` }) }
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.ok).toBe(true)
    return await response.text()
  }
  const { session_token: session } = JSON.parse(await post('/auth/v1/sessions', owner)) as { session_token: string }
  await post('/auth/v1/device/approve', { user_code: /#code=(\S+)/.exec(words)?.[1] }, session)
}

test('everything is done by the package alone', async () => {
  const url = await startServer()
  const { folder } = installation
  const env = { XDG_CONFIG_HOME: folder, PROVIDER_KEY: 'sk-packed-0123456789abcdef' }
  const begin = (args: string, more = {}): Promise<ServerProcess> =>
    startCommand(process.execPath, installation, args.split(' '), { ...env, ...more })
  const run = async (args: string, more = {}): Promise<string> => {
    const started = await begin(args, more)
    expect([args, await started.exitCode, started.stderr()]).toEqual([args, 0, ''])
    return started.stdout().trim()
  }

  const signIn = await begin(`login --url ${url}`)
  await expect.poll(signIn.stderr, { timeout: 60_000 }).toMatch(/#code=\S+\n/)
  await approve(url, signIn.stderr())
  expect(await signIn.exitCode).toBe(0)
  await run('tenants create Acme')
  const [, slug = ''] = /the project (\S+),/.exec(await run('projects create Chat')) ?? []
  await run('providers set openai --from-env PROVIDER_KEY')

  const file = join(folder, 'project.yaml')
  writeFileSync(file, await run('export'))
  const edited = readFileSync(file, 'utf8').replace(/provider_model: .*/, 'provider_model: openai/gpt-4o-mini')
  writeFileSync(file, edited)
  expect(await run('apply project.yaml --deploy')).toContain('openai/gpt-4o-mini')
  writeFileSync(file, edited.replace(/rpm_limit: .*/, 'rpm_limit: 7'))
  expect(await run('apply project.yaml --deploy')).toContain('+ 7')

  const following = await begin('requests --follow --json')
  const token = await run('token --ttl 60')
  const complete = () =>
    fetch(`${url}/p/${slug}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], stream: true }),
    })
  const answer = await (await complete()).text()
  expect(answer).toContain('世界')
  expect(answer.trimEnd()).toMatch(/data: \[DONE\]$/)
  // Requests from before it has begun to follow are not shown; the limit allows seven a minute.
  const followed = async () => {
    await (await complete()).text()
    return following.stdout()
  }
  await expect.poll(followed, { timeout: 120_000, interval: 10_000 }).toContain('"status":200')

  const deployments = JSON.parse(await run('rollback --json')) as { data: { number: number }[] }
  await run(`rollback ${(deployments.data[0]?.number ?? 0) - 1}`)
  expect(await run('settings get rpm_limit')).toContain('60')
  const secret = { SALLYPORT_ADMIN_SECRET: readFileSync(join(folder, 'data/admin-secret'), 'utf8').trim() }
  await run(`killswitch on --project ${slug}`, secret)
  expect((await complete()).status).toBe(403)
})
