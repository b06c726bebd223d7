// Starts one attempt at a provider: renders, addresses and sends the request. provider-attempt.ts reads the answer.

import type { Prompt } from '../../domain/conversation/prompt.ts'
import type { CallWatch } from '../../domain/metrics.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { headersFor } from '../../providers/provider-adapter.ts'
import { providerUrl } from '../../providers/provider-address.ts'
import { providerRegistry } from '../../providers/registry.ts'
import type { ChosenTarget } from '../target/choose-target.ts'
import type { AnswerOwner, AttemptBounds, AttemptOutcome } from './attempt.ts'
import { ProviderAttempt } from './provider-attempt.ts'

export interface AttemptDependencies extends AttemptBounds {
  outbound: Pick<Outbound, 'open'>
  newToolCallId: () => string
}

export interface ProviderRequest extends AnswerOwner {
  prompt: Prompt
  target: ChosenTarget
  endUserHash: string
  watch: CallWatch
}

/** Returns the function that aborts it. Throws if the provider's format cannot express the prompt. */
export function startAttempt(
  dependencies: AttemptDependencies,
  request: ProviderRequest,
  endsAt: number,
  resolve: (outcome: AttemptOutcome) => void,
): () => void {
  const { prompt, target, tenantId, endUserHash } = request
  const { adapter, protocol } = providerRegistry[target.provider]
  const { model, facts, hasBaseUrlOverride } = target
  const { path, query, headers, body, reading } = protocol.render(prompt, {
    model,
    facts,
    hasBaseUrlOverride,
    endUserHash,
  })
  const url = providerUrl(target.baseUrl, adapter.address, { path, query })
  const attempt = new ProviderAttempt(dependencies, {
    protocol,
    reading: { ...reading, newToolCallId: dependencies.newToolCallId },
    isStream: prompt.stream,
    owner: request,
    resolve,
  })
  attempt.call = dependencies.outbound.open(
    {
      url,
      method: 'POST',
      headers: {
        ...headers,
        ...headersFor(adapter, target.key),
        'content-type': 'application/json',
        accept: prompt.stream ? 'text/event-stream' : 'application/json',
      },
      body: JSON.stringify(body),
      guard: target.guard,
      tenantId,
      // The attempt has its own timer for both, which interim responses do not reset.
      headersTimeoutMs: 0,
      bodyTimeoutMs: 0,
      endsAt,
    },
    attempt,
  )
  return () => void attempt.abort()
}
