// The product as client libraries meet it: behind it one scripted upstream that speaks as OpenAI and as Anthropic, in
// it a project of each with a token at hand. Knows what clients are given (an address and a token), and no client.
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { audience, makeKey, makeToken, ownClaims, ownHeader, type TestKey } from '../crypto/token-kit.ts'
import { type HarnessOptions, type ManagementHarness, startManagement } from '../support/management-harness.ts'
import { errorResponse, type Said, type Shape, say } from '../support/simulated/provider-answers.ts'
import type { Script, ScriptedUpstream, UpstreamRequest } from '../support/simulated/scripted-upstream.ts'

export const shapes: readonly Shape[] = ['openai', 'anthropic']
export const models: Record<Shape, string> = { openai: 'gpt-4o-mini', anthropic: 'claude-sonnet-4-5' }
const calls: Record<Shape, string> = { openai: 'POST /v1/chat/completions', anthropic: 'POST /v1/messages' }
const keys: Record<Shape, string> = {
  openai: 'sk-client-0123456789abcdef',
  anthropic: 'sk-ant-client-0123456789abcdef',
}

export interface ClientProject {
  id: string
  tenantId: string
  /** What a client takes as its base address. */
  baseURL: string
  apiKey: string
  token: string
}

interface ProjectOptions {
  /** True by default. */
  hasKey?: boolean
  settings?: Record<string, unknown>
  /** By name. */
  prompts?: Record<string, object>
}

export interface ClientStage {
  upstream: ScriptedUpstream
  projects: Record<Shape, ClientProject>
  /** From now on the provider answers so, as a stream where it is asked for one. */
  says(shape: Shape, said: Said): void
  /** One refusal with that Retry-After, then an answer. */
  saysAfterLimit(shape: Shape, retryAfterSeconds: number): void
  answers(shape: Shape, script: Script): void
  /** The bodies that the provider was sent, the newest last. */
  sent(shape: Shape): Record<string, unknown>[]
  makeProject(shape: Shape, options?: ProjectOptions): Promise<ClientProject>
  expiredToken(project: ClientProject): string
  /** Until the test ends. */
  stop(project: ClientProject): Promise<void>
  end(): Promise<void>
}

/** The same for all files of this worker, so that they share its product. */
let keyOfWorker: TestKey | undefined

export async function startClientStage(options: HarnessOptions = {}): Promise<ClientStage> {
  keyOfWorker ??= makeKey('default')
  const signingKey = keyOfWorker
  const pem = signingKey.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const plane = await startManagement('sqlite', { ...options, env: { JWT_PRIVATE_KEY: pem, ...options.env } })
  const { upstream } = plane
  upstream.on('GET /v1/models', { body: { object: 'list', data: [] } })
  const makeProject: ClientStage['makeProject'] = (shape, options = {}) => makeProjectIn(plane, shape, options)
  const answers: ClientStage['answers'] = (shape, script) => upstream.on(calls[shape], script)
  return {
    upstream,
    projects: { openai: await makeProject('openai'), anthropic: await makeProject('anthropic') },
    answers,
    says: (shape, said) => answers(shape, request => say(shape, said, bodyOf(request)['stream'] === true)),
    saysAfterLimit(shape, retryAfterSeconds) {
      let isFirst = true
      answers(shape, request => {
        if (!isFirst) return say(shape, { text: ['Hello'] }, bodyOf(request)['stream'] === true)
        isFirst = false
        return errorResponse(shape, 429, 'slow down', { 'retry-after': String(retryAfterSeconds) })
      })
    },
    sent: shape => upstream.requests.filter(({ method, path }) => calls[shape] === `${method} ${path}`).map(bodyOf),
    makeProject,
    expiredToken({ id, tenantId }) {
      const now = Math.floor(Date.now() / 1000)
      const times = { iat: now - 120, nbf: now - 120, exp: now - 60 }
      const claims = { tid: tenantId, pid: id, iss: plane.baseUrl.replace('127.0.0.1', 'localhost'), aud: audience }
      return makeToken(signingKey, ownHeader(signingKey), ownClaims({ ...claims, ...times, jti: randomUUID() }))
    },
    async stop({ id }) {
      const set = (enabled: boolean) =>
        good(plane, 'POST', `/v1/admin/killswitch/project/${id}`, { adminSecret: plane.adminSecret, body: { enabled } })
      await set(true)
      onTestFinished(async () => void (await set(false)))
    },
    end: plane.stop,
  }
}

async function makeProjectIn(
  plane: ManagementHarness,
  shape: Shape,
  { hasKey = true, settings = {}, prompts = {} }: ProjectOptions,
): Promise<ClientProject> {
  const { session } = plane.owner
  const put = (path: string, body: unknown) => good(plane, 'PUT', path, { session, body })
  const tenantId = (await plane.makeTenant({ plan: 'pro' })).id
  const provider = `/auth/v1/tenants/${tenantId}/providers/${shape}`
  await plane.giveProvider(tenantId, shape, { api_key: keys[shape] })
  const { id, slug } = await plane.makeProject(tenantId)
  await put(`/auth/v1/projects/${id}/settings/model`, { provider_model: `${shape}/${models[shape]}` })
  if (!hasKey) await good(plane, 'DELETE', provider, { session })
  for (const [name, prompt] of Object.entries(prompts)) await put(`/auth/v1/projects/${id}/prompts/${name}`, prompt)
  if (Object.keys({ ...settings, ...prompts }).length > 0) {
    await put(`/auth/v1/projects/${id}/settings`, settings)
    await good(plane, 'POST', `/auth/v1/projects/${id}/settings/deploy`, { session })
  }
  const { api_key: apiKey } = await plane.makeApiKey(id)
  const minted = await good(plane, 'POST', '/auth/v1/auth/mint', { apiKey, body: { user_id: 'user-1' } })
  const { access_token: token } = minted.body as { access_token: string }
  return { id, tenantId, baseURL: `${plane.baseUrl}/p/${slug}/v1`, apiKey, token }
}

async function good(plane: ManagementHarness, ...[method, path, options]: Parameters<ManagementHarness['call']>) {
  const answer = await plane.call(method, path, options)
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return answer
}

function bodyOf({ body }: UpstreamRequest): Record<string, unknown> {
  return JSON.parse(body)
}

/** A fetch for clients that take one, which counts what they send. */
export function countingFetch() {
  const sentAt: number[] = []
  const counting: typeof fetch = (...request) => {
    sentAt.push(performance.now())
    return fetch(...request)
  }
  return { fetch: counting, sentAt, waitedMs: () => (sentAt[1] ?? 0) - (sentAt[0] ?? 0) }
}

export const weatherCalls: Said = {
  calls: [
    { id: 'call_upstream_1', name: 'get_weather', pieces: ['{"ci', 'ty":"', 'Zürich"}'] },
    { id: 'call_upstream_2', name: 'get_weather', pieces: ['{"city":', '"Łódź"}'] },
  ],
}
