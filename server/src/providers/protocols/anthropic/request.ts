// Writes a prompt as a request in Anthropic's format, adapted to what the model accepts.

import type { Prompt, Sampling } from '../../../domain/conversation/prompt.ts'
import { Refusal } from '../../../domain/errors.ts'
import { type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import type { Target, UpstreamRequest } from '../protocol.ts'
import { type AnthropicTraits, anthropicTraits } from './models.ts'
import { type OutputPlan, planOutput } from './output.ts'
import { endsInSignedChain, planThinking, type ThinkingPlan } from './thinking.ts'
import { callHint, demandsCall, renderTools } from './tools.ts'
import { renderConversation } from './turns.ts'

export function renderAnthropicRequest(prompt: Prompt, target: Target): UpstreamRequest {
  if ((prompt.choiceCount ?? 1) > 1) {
    throw new Refusal('invalid_request', { message: "The model's provider takes n of 1 only", param: 'n' })
  }
  const traits = anthropicTraits(target.model, target.facts)
  const output = planOutput(prompt, traits)
  const { plan, instructions, turns } = writeConversation(prompt, target, traits, output)
  const hints = [output.hint, demandsCall(prompt) && !traits.forcedTools ? callHint(prompt) : null]
  const system = [...instructions, ...hints.filter(hint => hint !== null)].join('\n\n')
  const body = omitAbsent<JsonObject>({
    model: target.model,
    max_tokens: plan.maxTokens,
    system: system === '' ? undefined : system,
    messages: turns,
    ...renderTools(prompt, traits, output.tool),
    thinking: plan.thinking ?? undefined,
    output_config: outputConfig(plan.effort, output.format),
    ...renderSampling(prompt.sampling, traits, plan),
    stop_sequences: stopSequences(prompt),
    stream: prompt.stream ? true : undefined,
    metadata: target.endUserHash === null ? undefined : { user_id: target.endUserHash },
  })
  const binds = plan.thinking?.['block_binding'] !== undefined
  return {
    path: ['messages'],
    ...(binds ? { headers: { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' } } : {}),
    body,
    reading: { jsonTool: output.tool?.name ?? null },
  }
}

function writeConversation(prompt: Prompt, { facts }: Target, traits: AnthropicTraits, output: OutputPlan) {
  const isForced = (demandsCall(prompt) && traits.forcedTools) || output.tool !== null
  const write = (plan: ThinkingPlan) => ({
    plan,
    ...renderConversation(prompt.messages, {
      keepsThinking: plan.thinks,
      systemTurns: traits.systemTurns,
      prefill: traits.prefill && !plan.thinks && output.format === null && output.tool === null,
    }),
  })
  const asked = write(planThinking(prompt, facts, traits, isForced))
  const isRefused = asked.plan.thinking?.['type'] === 'enabled' && !endsInSignedChain(asked.turns)
  return isRefused ? write(planThinking({ ...prompt, reasoning: undefined }, facts, traits, isForced)) : asked
}

function outputConfig(effort: string | null, format: JsonObject | null): JsonObject | undefined {
  if (effort === null && format === null) return undefined
  return omitAbsent<JsonObject>({ effort: effort ?? undefined, format: format ?? undefined })
}

/** OpenAI's temperature goes up to 2, Anthropic's to 1. A model that thinks has a fixed one. */
function renderSampling(
  { temperature, topP, topK }: Sampling,
  traits: AnthropicTraits,
  plan: ThinkingPlan,
): JsonObject {
  if (traits.sampling === 'none' || plan.thinks) return {}
  const isTaken = temperature !== undefined && traits.sampling === 'one'
  return {
    temperature: temperature === undefined ? undefined : Math.min(1, Math.max(0, temperature)),
    top_p: isTaken ? undefined : topP,
    top_k: topK,
  }
}

/** The provider rejects stop sequences without a visible character. */
function stopSequences({ stop }: Prompt): string[] | undefined {
  const taken = stop.filter(text => /\S/.test(text))
  return taken.length === 0 ? undefined : taken
}
