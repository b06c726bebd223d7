// One attempt at a provider: rendered, addressed and sent. Knows no inbound surface, no tenant's rules, no accounting and
// no second try; how the answer is read is provider-attempt.ts's.

import type { Prompt } from '../../domain/conversation/prompt.ts'
import type { CallWatch } from '../../domain/metrics.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { headersFor } from '../../providers/provider-adapter.ts'
import { providerUrl } from '../../providers/provider-address.ts'
import { providerRegistry } from '../../providers/registry.ts'
import type { ChosenTarget } from '../target/choose-target.ts'
import type { AnswerOwner, AttemptBounds } from './attempt-options.ts'
import { ProviderAttempt } from './provider-attempt.ts'
import type { Attempt } from './upstream-answer.ts'

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

/** Returns what abandons it. Throws where the prompt cannot be said to this provider. */
export function startAttempt(
  parts: AttemptDependencies,
  request: ProviderRequest,
  endsAt: number,
  resolve: (attempt: Attempt) => void,
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
  const attempt = new ProviderAttempt(parts, {
    protocol,
    reading: { ...reading, newToolCallId: parts.newToolCallId },
    isStream: prompt.stream,
    owner: request,
    resolve,
  })
  attempt.call = parts.outbound.open(
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
      // One timer of our own, which interim answers cannot reset.
      headersTimeoutMs: 0,
      bodyTimeoutMs: 0,
      endsAt,
    },
    attempt,
  )
  return () => void attempt.abort()
}
