// The setup of tests of one completion, behind a real listener and with a scripted provider: for cases that the whole
// product cannot produce, such as a step that throws or a vault with a short life. All parts are real unless a test
// replaces one.

import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { AdmittedCall, type Ending } from '../../src/call/admitted-call.ts'
import { unknownModelFacts } from '../../src/domain/conversation/model-facts.ts'
import type { Log } from '../../src/domain/log.ts'
import { resolveForTier } from '../../src/domain/resolved-config.ts'
import { initialLiveConfig, type LiveConfig } from '../../src/domain/settings/live-config.ts'
import { defaultSettings, type Settings } from '../../src/domain/settings/settings.ts'
import { refuse } from '../../src/gateway/refuse.ts'
import { gatewayErrors } from '../../src/http/error-formats.ts'
import { readBody } from '../../src/http/read-body.ts'
import { answerCall, type CallDependencies } from '../../src/inference/answer-call.ts'
import { createLargeAnswers } from '../../src/inference/attempt/large-answers.ts'
import { createFailureLog } from '../../src/inference/attempt/log-failures.ts'
import { createAnswerCache } from '../../src/inference/cache/answer-cache.ts'
import { createGuard } from '../../src/inference/guard/guard.ts'
import { createReasoningCarrier } from '../../src/inference/memory/carry-reasoning.ts'
import { createMemory } from '../../src/inference/memory/memory.ts'
import { createResponseMemory } from '../../src/inference/memory/stored-responses.ts'
import { createBreakers } from '../../src/inference/target/breakers.ts'
import type { UsageRecord } from '../../src/inference/usage/record-usage.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createLog } from '../../src/log/log.ts'
import { createSparseLog } from '../../src/log/sparse-log.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { chatCompletions, chatCompletionsEndpoint } from '../../src/surfaces/chat-completions/chat-completions.ts'
import { createMetrics } from '../../src/telemetry/create-metrics.ts'
import { createRegistry } from '../../src/telemetry/registry.ts'
import { runListener } from '../http/running-listener.ts'
import { noClouds } from '../providers/clouds/no-clouds.ts'
import { openMigrated } from '../storage/fixtures.ts'
import { type Script, startUpstream } from '../support/simulated/scripted-upstream.ts'
import { hello } from './inference-stage.ts'

interface ChatOptions {
  parts?: Partial<CallDependencies>
  settings?: Partial<Settings>
  /** Called with each checkpoint; may throw. */
  onCheckpoint?: () => void
}

type Asked = { body?: Record<string, unknown>; headers?: Record<string, string> }

export async function openChat(
  script: Script,
  { parts = {}, settings = {}, onCheckpoint = () => undefined }: ChatOptions = {},
) {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  upstream.on('POST /v1/chat/completions', script)
  const lines: string[] = []
  const rows: UsageRecord[] = []
  const settled: number[] = []
  const calls: AdmittedCall[] = []
  const log = createLog({ level: 'warn', destination: { write: line => void lines.push(line) } })
  const target = targetAt(upstream.url)
  const { kv, chat } = await openParts({ log, rows, target })
  const RecordedCall = recordCalls(settled, onCheckpoint)
  const live = initialLiveConfig(project, { ...defaultSettings('http://localhost'), ...settings })
  const { port } = await runListener({
    plane: async (request, response, incoming) => {
      const context = { account: null, registry: null, onCutOff: incoming.onCutOff, now: Date.now }
      try {
        const body = await readBody(request, { maxBytes: 10 << 20, timeoutMs: 10_000 })
        const estimated = chatCompletionsEndpoint.estimate(body.value, body.bytes)
        const subject = subjectOf(live, incoming.id, String(request.headers['x-session-id'] ?? '') || null)
        const call = new RecordedCall({ ...subject, request, response, body, estimated }, context)
        calls.push(call)
        const served = { surface: chatCompletions, endpoint: chatCompletionsEndpoint }
        await answerCall({ ...chat, ...parts }, served, call)
      } catch (error) {
        refuse(log, response, error, { gateway: gatewayErrors, format: chatCompletions }, incoming.id)
      }
    },
  })
  return {
    upstream,
    port,
    target,
    kv,
    lines,
    /** The usage rows and settlements, in order. */
    rows,
    settled,
    /** Ends the calls in flight. */
    end: (reason: Ending) => {
      for (const call of calls) call.end(reason)
    },
    ask: (body: Record<string, unknown> = {}, headers: Record<string, string> = {}) => ask(port, { body, headers }),
  }
}

const project = { id: randomUUID(), tenant_id: randomUUID(), slug: 'shop' }

function targetAt(url: string) {
  return {
    modelId: 'openai/gpt-4o-mini',
    model: 'gpt-4o-mini',
    provider: 'openai',
    facts: unknownModelFacts,
    prices: null,
    trustsReportedCost: false,
    platformPricing: null,
    isRegistered: true,
    credential: 'sk-0123456789abcdef',
    baseUrl: `${url}/v1`,
    guard: 'operator',
    hasBaseUrlOverride: false,
  } as const
}

/** All parts that answer a call, of which a test may replace some. */
async function openParts(given: { log: Log; rows: UsageRecord[]; target: ReturnType<typeof targetAt> }) {
  const { log, rows, target } = given
  const { sql } = await openMigrated()
  const kv = createProcessStore({ now: Date.now, log })
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  const metrics = createMetrics({ registry: createRegistry(), tracer: null })
  const maskingKey = Buffer.alloc(32)
  const guard = createGuard({
    kv,
    maskingKey,
    outbound,
    settings: { recogniserUrl: null },
    metrics,
    now: Date.now,
    log,
  })
  onTestFinished(async () => {
    await guard.stop()
    await outbound.close()
    await kv.close()
  })
  const chat: CallDependencies = {
    outbound,
    clouds: noClouds(),
    now: Date.now,
    newToolCallId: () => `call_${randomUUID()}`,
    timeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    totalTimeoutMs: 60_000,
    targets: { chooseKnown: () => null, choose: async () => [target] },
    memory: createMemory({ sql, kv, now: Date.now, randomId: randomUUID, log }),
    responses: createResponseMemory({ sql, now: Date.now, log }),
    reasoning: createReasoningCarrier(kv, log),
    answerCache: createAnswerCache({ kv, maskingKey, metrics, now: Date.now, log }),
    guard,
    requestContent: { add: () => undefined },
    platform: null,
    budgets: {
      known: () => ({ tenants: new Map(), endUsers: new Map() }),
      reserve: () => null,
      stop: () => Promise.resolve(),
    },
    usageRecorder: {
      add: row => {
        rows.push(row)
        return null
      },
    },
    breakers: createBreakers(Date.now),
    largeAnswers: createLargeAnswers(512 * 1024 * 1024, log),
    logFailure: createFailureLog(createSparseLog(log)),
    metrics,
    log,
  }
  return { kv, chat }
}

/** Records all settlements, repeated ones too, and reports each checkpoint, due or not. */
function recordCalls(settled: number[], onCheckpoint: () => void) {
  return class extends AdmittedCall {
    override checkpoint(count: () => number): void {
      onCheckpoint()
      super.checkpoint(count)
    }

    override settle(tokens: number): void {
      settled.push(tokens)
      super.settle(tokens)
    }
  }
}

function subjectOf(live: LiveConfig, requestId: string, sessionId: string | null) {
  return {
    verified: {
      requestId,
      tenantId: project.tenant_id,
      projectId: project.id,
      userId: 'alice',
      role: 'user',
      tier: null,
      scopes: [],
      authProvider: 'service',
      sessionId,
      threadId: null,
    },
    route: chatCompletionsEndpoint.pattern,
    format: chatCompletions,
    prompt: null,
    live,
    resolved: resolveForTier(live, undefined, 0),
    promptEstimate: 7,
    reportsUsage: false,
  } as const
}

/** Returns status and text; `isWhole` is false if the connection broke. */
async function ask(port: number, { body, headers }: Asked) {
  const answer = await fetch(`http://127.0.0.1:${port}/p/shop/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', host: 'shop.localhost', ...headers },
    body: JSON.stringify({ ...hello, ...body }),
  })
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const piece of answer.body ?? []) text += decoder.decode(piece, { stream: true })
    return { status: answer.status, text, isWhole: true }
  } catch {
    return { status: answer.status, text, isWhole: false }
  }
}
