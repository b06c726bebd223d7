// Tests how much of the source one completion visits with every feature off: a feature that is off must cost nothing,
// and one behaviour must not be spread over many files. Runs the sources, since a bundle has no files.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type LoadToken, provision } from '../../../bench/provision.ts'
import { commonVisits, startCoverage, type Visits } from '../support/precise-coverage.ts'
import { startProcess, waitUntilReady, withFreePort } from '../support/server-process.ts'
import { say } from '../support/simulated/provider-answers.ts'
import { startUpstream } from '../support/simulated/scripted-upstream.ts'

const checkout = join(import.meta.dirname, '../../..')
const operator = {
  adminSecret: randomBytes(24).toString('hex'),
  email: 'owner@localhost.test',
  password: 'x'.repeat(20),
}

async function startSources(env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-visited-'))
  const { port, server } = await withFreePort(async port => ({
    port,
    server: await startProcess({
      command: process.execPath,
      args: ['--inspect=127.0.0.1:0', 'server/src/main.ts'],
      cwd: checkout,
      env: {
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        PORT: String(port),
        DATA_DIR: folder,
        LOG_LEVEL: 'warn',
        ADMIN_SECRET: operator.adminSecret,
        BOOTSTRAP_EMAIL: operator.email,
        BOOTSTRAP_PASSWORD: operator.password,
        ...env,
      },
    }),
  }))
  onTestFinished(async () => {
    await server.end('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })
  await waitUntilReady(server, () => server.stdout().includes('Sallyport serves '), 120_000)
  return { port, server }
}

/** Sends one streamed completion on the agent's connection, and resolves to its text. */
function complete(port: number, { host, token }: LoadToken, agent: Agent): Promise<string> {
  const body = JSON.stringify({
    model: 'openai/gpt-4o-mini',
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const headers = { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request({ port, agent, method: 'POST', path: '/v1/chat/completions', headers }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', piece => {
        text += piece
      })
      response.on('end', () => resolve(text))
    })
    sent.once('error', reject).end(body)
  })
}

const most = { files: 111, calls: 1_000 }

const filesIn = (visits: Visits) => new Set([...visits.keys()].map(name => name.split(' ', 1)[0])).size
const callsIn = (visits: Visits) => [...visits.values()].reduce((sum, count) => sum + count, 0)

/** What all runs have in common: on a busy machine, other work of the process falls into many of them. */
async function measure(take: () => Promise<Visits>, run: () => Promise<unknown>): Promise<Visits> {
  const all: Visits[] = []
  while (true) {
    await sleep(20)
    await take()
    await run()
    await sleep(5)
    all.push(await take())
    if (all.length < 20) continue
    const common = commonVisits(all)
    const isWithin = filesIn(common) <= most.files && callsIn(common) <= most.calls
    if (isWithin || all.length === 200) return common
  }
}

test('a plain streamed completion visits at most 111 files and makes at most 1,000 calls', async () => {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  upstream.on('POST /v1/chat/completions', say('openai', { text: ['Hello', ' world', '!'] }, true))
  const { port, server } = await startSources({
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    PLATFORM_OPENAI_API_KEY: 'sk-0123456789abcdef0123',
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
    OUTBOUND_ALLOW: '127.0.0.1',
  })
  const [token] = await provision(
    { baseUrl: `http://127.0.0.1:${port}`, ...operator },
    { projects: 1, tokensPerProject: 1, settings: { request_log: 'off' } },
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const run = () => complete(port, token!, agent)
  for (let at = 0; at < 20; at++) expect(await run()).toContain('[DONE]')
  const coverage = await startCoverage(server.stderr())
  onTestFinished(() => coverage.stop())
  const visits = await measure(coverage.take, run)
  const [files, calls] = [filesIn(visits), callsIn(visits)]
  const listed = [...visits].sort(([a], [b]) => a.localeCompare(b)).map(([name, count]) => `${name}: ${count}`)
  const summary = `${files} files, ${visits.size} functions, ${calls} calls:\n${listed.join('\n')}`
  expect(files, summary).toBeLessThanOrEqual(most.files)
  expect(calls, summary).toBeLessThanOrEqual(most.calls)
})
