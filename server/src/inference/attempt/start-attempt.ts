// Starts one attempt at a provider: renders, addresses and sends the request. provider-attempt.ts reads the answer.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import type { Prompt } from '../../domain/conversation/prompt.ts'
import { isLarge, writeJson } from '../../domain/json/json-text.ts'
import { writeInTurns } from '../../domain/json/write-in-turns.ts'
import type { CallWatch } from '../../domain/metrics.ts'
import { exchangeFailure } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { CloudTools } from '../../providers/clouds/cloud-tools.ts'
import type { KnownSecrets } from '../../providers/known-secrets.ts'
import { type Protocol, serverSentEvents } from '../../providers/protocols/protocol.ts'
import { translatePrompt } from '../../providers/protocols/translate-prompt.ts'
import { AuthorisationFailure, type CallAdapter } from '../../providers/provider-adapter.ts'
import { providerUrl } from '../../providers/provider-address.ts'
import type { Surface } from '../../surfaces/surface.ts'
import type { ChosenTarget } from '../target/choose-target.ts'
import type { Turn } from '../turn.ts'
import type { AnswerOwner, AttemptBounds, AttemptLimits, AttemptOutcome } from './attempt.ts'
import { ProviderAttempt } from './provider-attempt.ts'
import { RedactedAnswer } from './redacted-answer.ts'

export interface AttemptDependencies extends AttemptBounds {
  outbound: Pick<Outbound, 'open' | 'send'>
  clouds: CloudTools
  newToolCallId: () => string
}

export interface ProviderRequest extends AnswerOwner {
  prompt: Prompt
  target: ChosenTarget
  adapter: CallAdapter
  protocol: Protocol
  /** The client may get the provider's bytes. */
  passes: boolean
  endUserHash: string
  watch: CallWatch
  secrets: KnownSecrets
  /** When the call must have ended, with all its attempts, by `performance.now()`. */
  endsAt: number
  /** Called when an attempt has begun. */
  noteAttempt(): void
}

/** Returns the function that aborts it. Throws if the provider's format cannot express the prompt. */
export function startAttempt(
  dependencies: AttemptDependencies,
  request: ProviderRequest,
  resolve: (outcome: AttemptOutcome) => void,
): () => void {
  const { prompt, target, adapter, protocol, passes, endUserHash, endsAt } = request
  const { model, facts, hasBaseUrlOverride } = target
  const { path, query, headers, body, bytes, reading } = protocol.render(prompt, {
    model,
    facts,
    hasBaseUrlOverride,
    endUserHash,
  })
  const attempt = new ProviderAttempt(dependencies, {
    protocol,
    reading: { ...reading, passes, newToolCallId: dependencies.newToolCallId },
    isStream: prompt.stream,
    ...limitsOf(dependencies, request),
    owner: request,
    resolve,
  })
  const url = providerUrl(target.baseUrl, adapter.address, {
    path,
    query: target.query === undefined ? query : { ...target.query, ...query },
  })
  const written = bytes ?? (isLarge(body) ? writeInTurns(body) : writeJson(body))
  void sendAuthorised(dependencies, request, attempt, { adapter, url, headers, body: written, endsAt })
  return () => void attempt.abort()
}

/** A project's routes may only shorten the operator's timeouts. */
function limitsOf({ timeoutMs }: AttemptBounds, { target: { route }, prompt }: ProviderRequest): AttemptLimits {
  if (route === undefined) return { timeoutMs, firstTokenTimeoutMs: null, waitsForContent: false }
  return {
    timeoutMs: Math.min(timeoutMs, route.timeoutMs ?? timeoutMs),
    firstTokenTimeoutMs: prompt.stream ? route.firstTokenTimeoutMs : null,
    waitsForContent: true,
  }
}

interface RenderedRequest {
  adapter: CallAdapter
  url: string
  headers?: Record<string, string>
  body: string | Uint8Array | Promise<Uint8Array>
  endsAt: number
}

/** Sends nothing if the attempt has ended meanwhile. */
async function sendAuthorised(
  { outbound, now, clouds }: AttemptDependencies,
  { prompt, target, protocol, tenantId, secrets }: ProviderRequest,
  attempt: ProviderAttempt,
  { adapter, url, headers, body: written, endsAt }: RenderedRequest,
): Promise<void> {
  const { authorise, fixedHeaders } = adapter
  try {
    const body = written instanceof Promise ? await written : written
    const tools = { outbound, now, clouds, tenantId }
    const authorised = await authorise(target.credential, { method: 'POST', url, body }, tools)
    if (attempt.isOver) return
    secrets.noteSent(authorised)
    attempt.call = outbound.open(
      {
        url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          // A client's choice of the provider's version takes precedence, its credential never does.
          ...fixedHeaders,
          ...headers,
          ...authorised,
          accept: prompt.stream ? (protocol.streamType ?? serverSentEvents) : 'application/json',
        },
        body,
        guard: target.guard,
        tenantId,
        // The attempt has its own timer for both, which interim responses do not reset.
        headersTimeoutMs: 0,
        bodyTimeoutMs: 0,
        endsAt,
      },
      new RedactedAnswer(attempt, secrets),
    )
  } catch (error) {
    if (error instanceof AuthorisationFailure) attempt.fail(error.error)
    else attempt.onFailure(exchangeFailure(error))
  }
}

/** The prompt as the provider gets it, in what its format can express. Throws if it cannot express the prompt. */
export function promptForProvider(
  { call, surface, request, messages, source }: Turn,
  { wireFormat }: Protocol,
): Prompt {
  const given = messages === request.prompt.messages ? request.prompt : { ...request.prompt, messages, source }
  const translated = given.format === wireFormat ? given : translatePrompt(given, wireFormat)
  // They choose features and prices.
  const takesHeaders = surface.providerHeaders.length > 0 && call.rules.client_fields !== 'known'
  if (wireFormat !== surface.wireFormat || !takesHeaders) return translated
  return withHeaders(translated, surface, call.request.headers)
}

function withHeaders(prompt: Prompt, { providerHeaders }: Surface, given: AdmittedCall['request']['headers']): Prompt {
  const headers: Record<string, string> = {}
  for (const name of providerHeaders) {
    const value = given[name]
    if (typeof value === 'string') headers[name] = value
  }
  return { ...prompt, headers }
}
