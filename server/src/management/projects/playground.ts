// The playground: tests the draft settings with the draft model, or what is deployed, to compare both. Its requests
// take the same path as those of end users and have rate limits of their own; only requests that reach the provider
// count.

import { z } from 'zod'
import { AdmittedCall, type CallRegistry } from '../../call/admitted-call.ts'
import { recordOf } from '../../call/log-request.ts'
import { RequestNotes } from '../../call/request-notes.ts'
import { Refusal } from '../../domain/errors.ts'
import { resolveForTier } from '../../domain/resolved-config.ts'
import type { LiveConfig } from '../../domain/settings/live-config.ts'
import type { WindowReceipt } from '../../kv/store.ts'
import { createPromptVersions } from '../../storage/settings/prompt-versions.ts'
import { chatCompletions, chatCompletionsEndpoint } from '../../surfaces/chat-completions/chat-completions.ts'
import type { FindVersion } from '../../surfaces/named-prompt.ts'
import { openBody } from '../../surfaces/open-body.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Exchange, type Route, type RouteInput, route } from '../plane/route.ts'
import { checkProviderConfigured } from '../settings/check-provider-configured.ts'
import { getLive } from '../settings/live-configs.ts'
import { snapshotPrompts } from '../settings/prompts.ts'
import { fromSettingsColumns, getSettingsRow } from '../settings/settings-row.ts'
import { createDraftWatch } from './draft-watch.ts'

const message = 'messages must be a non-empty array'
const entryMessage = 'messages must have a role and content'
const contentSchema = z
  .union([z.string(), z.array(z.looseObject({ type: z.string() })).min(1, { error: entryMessage })], {
    error: entryMessage,
  })
  .meta({ description: 'A text, or parts as those of chat completions: texts and images' })
const bodySchema = z.looseObject({
  prompt: z
    .unknown()
    .meta({ type: 'object', description: 'A prompt of the settings in use, by `id`, with `version` and `variables`' })
    .optional(),
  messages: z
    .array(
      z.looseObject({ role: z.string({ error: entryMessage }), content: contentSchema }, { error: entryMessage }),
      { error: message },
    )
    .min(1, { error: message })
    .max(1000, { error: 'messages must not exceed 1000 entries' })
    .meta({ description: 'Only with `prompt` it may be absent' })
    .optional(),
})
const uses = ['draft', 'deployed'] as const
const querySchema = z.object({
  use: z
    .enum(uses, { error: `use must be one of: ${uses.join(', ')}` })
    .optional()
    .meta({
      description:
        'Which settings and model answer; tiers do not apply. `draft` without a draft model takes the live one; ' +
        'without `use`, the draft is tried, and a draft model is required',
    }),
})
type Input = RouteInput<z.output<typeof bodySchema>, z.output<typeof querySchema>>

const hourSeconds = 3600
const perUser = 50
const perProject = 500

const refusals = [
  'prompt_not_found',
  'prompt_required',
  'client_field_rejected',
  'no_draft_model',
  'model_not_configured',
  'provider_not_configured',
  'playground_rate_limited',
  'service_disabled',
  'project_suspended',
  'insufficient_quota',
  'model_not_priced',
  'provider_invalid_request',
  'context_length_exceeded',
  'content_filter',
  'quota_exceeded',
  'model_not_found',
  'pii_blocked',
  'content_blocked',
  'guardrail_unavailable',
  'guarded_text_too_large',
  'provider_rate_limited',
  'provider_key_unreadable',
  'provider_auth_error',
  'provider_unavailable',
  'provider_timeout',
] as const

export function playgroundRoutes(management: ManagementDependencies): Route[] {
  const drafts = createDraftWatch(management)
  const findVersion = createPromptVersions(management.sql)
  return [
    route({
      method: 'POST',
      path: '/auth/v1/projects/:projectId/playground',
      operation: 'runPlayground',
      audit: null,
      summary: 'Test the draft model, or the deployed one; the response is a stream of OpenAI chunks',
      credential: 'session',
      owner: 'project',
      permission: 'settings:write',
      headers: {
        'X-User-Id': 'End user whose requests are counted; default `anonymous`',
        'X-Sallyport-Cache': '`use`: the answer cache may answer, if the settings have one; default `no`',
      },
      query: querySchema,
      body: bodySchema,
      answers: { 200: 'events' },
      refusals,
      async handle(input) {
        if (input.body.messages === undefined && (input.body.prompt ?? null) === null) {
          throw new Refusal('validation_failed', { message })
        }
        await drafts.throwIfStopped(refOf(input))
        const live = await getConfig(management, input)
        const user = input.header('x-user-id')?.trim().slice(0, 255) || 'anonymous'
        const receipt = await takeWindows(management, input.owned.project.id, user)
        const createCall = describeCall(management, drafts, input, { live, user, findVersion })
        return { status: 200, write: exchange => answerTrial(management, () => createCall(exchange), receipt) }
      },
    }),
  ]
}

function refOf({ owned }: Input) {
  return { projectId: owned.project.id, tenantId: owned.tenant.id }
}

/** The live document, or the one that a deploy of the draft would create. */
async function getConfig({ sql }: ManagementDependencies, { owned, query }: Input): Promise<LiveConfig> {
  if (query.use === 'deployed') return await getLive(sql, owned.project.id)
  const row = await getSettingsRow(sql, owned.project.id)
  const { draft_provider_model: draft, provider_model: deployed } = row
  if (draft === null && query.use === undefined) throw new Refusal('no_draft_model')
  const model = draft ?? deployed
  if (model !== null) await checkProviderConfigured(sql, owned.tenant.id, model)
  const live = await getLive(sql, owned.project.id)
  // No deployment is the draft: a version always names one that was deployed.
  const prompts = await snapshotPrompts(sql, owned.project.id)
  return { ...live, deployment: null, prompts, settings: { ...fromSettingsColumns(row), provider_model: model } }
}

async function takeWindows(
  { windows }: ManagementDependencies,
  projectId: string,
  user: string,
): Promise<WindowReceipt> {
  const name = `playground:${projectId}`
  const taken = await windows.take([
    { name: `${name}:user:${user}`, limit: perUser, windowSeconds: hourSeconds },
    { name, limit: perProject, windowSeconds: hourSeconds },
  ])
  if (taken.admitted) return taken.receipt
  const { retryAfterSeconds } = taken
  if (taken.name !== name) throw new Refusal('playground_rate_limited', { retryAfterSeconds })
  const words = `Playground rate limit exceeded (${perProject}/hour for the project)`
  throw new Refusal('playground_rate_limited', { retryAfterSeconds, message: words })
}

type CreateCall = (exchange: Exchange) => Promise<AdmittedCall>

function describeCall(
  { now }: ManagementDependencies,
  registry: CallRegistry,
  input: Input,
  { live, user, findVersion }: { live: LiveConfig; user: string; findVersion: FindVersion },
): CreateCall {
  // Regardless of the body, the configured model answers, and always as a stream.
  const { model: _, ...body } = input.body
  return async ({ request, response, onCutOff }) => {
    const value = { ...body, stream: true }
    const resolved = resolveForTier(live, undefined, 0)
    const given = { value, bytes: Buffer.from(JSON.stringify(value)) }
    const project = { live, settings: resolved.settings }
    const { estimated, prompt } = await openBody(chatCompletionsEndpoint, given, project, findVersion)
    const receivedAt = now()
    const times = { receivedAt, bodyAt: receivedAt, admittedAt: receivedAt }
    return new AdmittedCall(
      {
        verified: {
          ...refOf(input),
          requestId: input.requestId,
          // End users' ids cannot have this prefix.
          userId: `svc:playground:${user}`,
          role: 'dashboard-service',
          tier: null,
          scopes: [],
          authProvider: 'service',
          sessionId: null,
          threadId: null,
        },
        route: chatCompletionsEndpoint.pattern,
        format: chatCompletions,
        request,
        response,
        body: null,
        estimated,
        prompt,
        live,
        resolved,
        promptEstimate: null,
        reportsUsage: false,
        notes: live.settings.request_log === 'off' ? undefined : new RequestNotes(times, now, true),
      },
      { account: null, registry, onCutOff, now },
    )
  }
}

/** `refusal` is sent after this, by the plane: without it, the response has no status of its own yet. */
function logCall({ requests, now }: ManagementDependencies, call: AdmittedCall, refusal: Refusal | null): void {
  const { verified, request, response, route, notes } = call
  if (notes === undefined) return
  const { requestId: id, projectId } = verified
  const ended = { id, projectId, receivedAt: notes.receivedAt, request, response, route }
  const record = recordOf(ended, call, verified, now())
  const isUnsent = refusal !== null && !response.headersSent && call.ending !== 'client_gone'
  requests.add(isUnsent ? { ...record, ...factsOf(refusal) } : record)
}

function factsOf({ code, row, details }: Refusal) {
  return { status: row.status, errorCode: code, exceeded: details.exceeded ?? null }
}

async function answerTrial(
  management: ManagementDependencies,
  createCall: () => Promise<AdmittedCall>,
  receipt: WindowReceipt,
): Promise<void> {
  const { windows, inference } = management
  let call: AdmittedCall | null = null
  let refusal: Refusal | null = null
  try {
    call = await createCall()
    await inference.answer(call)
  } catch (error) {
    if (!call?.hasReachedProvider) await windows.giveBack(receipt)
    refusal = refusalOf(error)
    throw refusal.code === 'internal' ? error : refusal
  } finally {
    call?.finish()
    if (call !== null) logCall(management, call, refusal)
  }
}

/** What the client gets. */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Refusal)) return new Refusal('internal', { cause: error })
  if (error.code !== 'model_without_key') return error
  return new Refusal('provider_not_configured', { message: error.message })
}
