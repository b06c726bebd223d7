// Tests forwarding behind the whole gateway, on both stores: kill switches and suspensions end streams in flight, and
// the budget is charged what the answers cost.
import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createForwarder } from '../../../src/gateway/forward/forward.ts'
import { createLog } from '../../../src/log/log.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { roomFor } from '../../support/slowness.ts'
import { completion, openStage, type TestProject } from '../gateway-stage.ts'
import { delta, openStream, startUpstream, until } from './forward-stage.ts'
import { parseEvents } from './sse-parser.ts'

const usage = { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 }
const today = () => new Date().toISOString().slice(0, 10)
const body = JSON.stringify({ ...completion, stream: true })

describe.each([
  ['in the process', null],
  ['on Redis', inject('redisUrl')],
])('with the store %s', (_name, redisUrl) => {
  async function open() {
    const arrived: IncomingHttpHeaders[] = []
    const upstream = await startUpstream((request, response) => {
      arrived.push(request.headers)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (request.url?.includes('whole')) {
        response.end(`${delta('a')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`)
        return
      }
      const timer = setInterval(() => response.write(delta('x')), 50)
      response.once('close', () => clearInterval(timer))
    })
    const log = createLog({ level: 'silent', destination: { write: () => undefined } })
    const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
    onTestFinished(() => outbound.close())
    const options = {
      outbound,
      inferenceUrl: upstream,
      internalSecret: null,
      timeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      totalTimeoutMs: 60_000,
      log,
    }
    const stage = await openStage({ redisUrl, answer: createForwarder(options).answer })
    return {
      ...stage,
      arrived,
      stream: (project: TestProject, query = '', lines: readonly string[] = []) =>
        openStream(stage.port, requestOf(project.slug, stage.tokenFor(project), query, lines)),
    }
  }

  function requestOf(slug: string, token: string, query: string, more: readonly string[]): string {
    const lines = [
      `POST /v1/chat/completions${query} HTTP/1.1`,
      `Host: ${slug}.localhost`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...more,
    ]
    return `${lines.join('\r\n')}\r\n\r\n${body}`
  }

  it('the service sees the caller of the token, whatever else the request says', async () => {
    const stage = await open()
    const [project, other] = [await stage.makeProject(), await stage.makeProject()]
    const client = stage.stream(project, '?whole', [
      `X-Tenant-Id: ${other.tenantId}`,
      `X-Project-Id: ${other.projectId}`,
      `X_Tenant_Id: ${other.tenantId}`,
      `x-tenant_id: ${other.tenantId}`,
      'X-End-User-Id: somebody-else',
      'X-Role: admin',
      'X-Tier: forged',
      'X-Scopes: ["*"]',
      'Connection: X-Tenant-Id, X-Project-Id, X-Role',
      'X-Session-Id: kept',
    ])
    await until(() => client.isComplete())
    const [headers] = stage.arrived
    expect(headers).toMatchObject({
      'x-tenant-id': project.tenantId,
      'x-project-id': project.projectId,
      'x-role': 'user',
      'x-tier': '',
      'x-session-id': 'kept',
    })
    expect(JSON.stringify(headers)).not.toMatch(
      new RegExp(`${other.tenantId}|${other.projectId}|somebody-else|forged|_id|authorization`),
    )
    expect(client.text()).toContain(`x-request-id: ${headers?.['x-request-id']}`)
  })

  it('the budget ends up at what the answer says', async () => {
    const stage = await open()
    const project = await stage.makeProject()
    const client = stage.stream(project, '?whole')
    await until(() => client.isComplete())
    await expect.poll(() => stage.kv.findSpend(project.projectId, today())).toBe(42)
  })

  it.each(['project', 'tenant', 'global'] as const)(
    'a %s switch ends 100 streams in its scope within two seconds',
    async scope => {
      const stage = await open()
      const limits = { rpm_limit: 1_000, tokens_per_day: 1_000_000 }
      const project = await stage.makeProject(limits)
      const other = await stage.makeProject(limits)
      const clients = Array.from({ length: 100 }, () => stage.stream(project))
      const untouched = stage.stream(other)
      await until(() => [...clients, untouched].every(client => client.body().length > 0))
      const endedAt = performance.now()
      await stage.setSwitch(
        scope,
        scope === 'project' ? project.projectId : scope === 'tenant' ? project.tenantId : '',
        true,
      )
      await until(() => clients.every(client => client.isComplete()))
      expect(performance.now() - endedAt).toBeLessThan(roomFor(2_000))
      for (const client of clients) {
        const last = parseEvents(client.body()).at(-1)
        expect(JSON.parse(last!.data)).toMatchObject({ error: { code: 'service_disabled', type: 'server_error' } })
      }
      await until(() => untouched.isComplete() === (scope === 'global'))
      await expect.poll(() => stage.kv.findSpend(project.projectId, today())).toBeGreaterThan(200)
    },
  )

  it('a suspension ends the streams of its project within two seconds', async () => {
    const stage = await open()
    const project = await stage.makeProject()
    const client = stage.stream(project)
    await until(() => client.body().length > 0)
    const endedAt = performance.now()
    await stage.deploy(project, { status: 'suspended' })
    await until(() => client.isComplete())
    expect(performance.now() - endedAt).toBeLessThan(roomFor(2_000))
    expect(JSON.parse(parseEvents(client.body()).at(-1)!.data)).toMatchObject({ error: { code: 'service_disabled' } })
  })

  it('a client that leaves pays for what it got', async () => {
    const stage = await open()
    const project = await stage.makeProject()
    const client = stage.stream(project)
    await until(() => parseEvents(client.body()).length >= 3)
    client.socket.destroy()
    await expect.poll(() => stage.kv.findSpend(project.projectId, today())).toBeGreaterThan(3)
    expect(await stage.kv.findSpend(project.projectId, today())).toBeLessThan(100)
  })
})
