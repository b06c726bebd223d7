// Writes a prompt as a request in Anthropic's format, adapted to what the model accepts.

import type { Prompt, Sampling } from '../../../domain/conversation/prompt.ts'
import { Refusal } from '../../../domain/errors.ts'
import { patchBody } from '../../../domain/json/patch-body.ts'
import { isJsonObject, type JsonObject, omitAbsent } from '../../../domain/json-object.ts'
import type { Target, UpstreamRequest } from '../protocol.ts'
import { textBlocks } from './content.ts'
import { type AnthropicTraits, anthropicTraits } from './models.ts'
import { type OutputPlan, planOutput } from './output.ts'
import { endsInSignedChain, planOwnThinking, planThinking, type ThinkingPlan } from './thinking.ts'
import { callHint, demandsCall, renderTools } from './tools.ts'
import { renderConversation } from './turns.ts'

export function renderAnthropicRequest(prompt: Prompt, target: Target): UpstreamRequest {
  const metadata = target.endUserHash === null ? undefined : { user_id: target.endUserHash }
  return render(prompt, target, { max_tokens: prompt.maxOutputTokens, metadata })
}

/** Counting takes the same request, without what concerns the answer alone. */
export function renderCountRequest(prompt: Prompt, target: Target): UpstreamRequest {
  const unset = { max_tokens: undefined, metadata: undefined, stream: undefined }
  const { body, ...rendered } = render({ ...prompt, stream: false, sampling: {}, stop: [] }, target, unset)
  const { max_tokens: _, ...counted } = body
  return { ...rendered, path: ['messages', 'count_tokens'], body: counted }
}

/** `set` are the fields that the gateway sets, whether it renders the body or passes the client's. */
function render(prompt: Prompt, target: Target, set: JsonObject): UpstreamRequest {
  const bytes = findPassedBody(prompt, { model: target.model, ...set })
  if (bytes !== null) return { path: ['messages'], ...headersOf(prompt), body: {}, bytes, reading: noJsonTool }
  return writeAnthropicRequest(prompt, target, anthropicTraits(target.model, target.facts), set)
}

/** Also for other formats that follow the same rules, with the traits of their models. */
export function writeAnthropicRequest(
  prompt: Prompt,
  target: Target,
  traits: AnthropicTraits,
  set: JsonObject = {},
): UpstreamRequest {
  if ((prompt.choiceCount ?? 1) > 1) {
    throw new Refusal('invalid_request', { message: "The model's provider takes n of 1 only", param: 'n' })
  }
  const output = planOwnOutput(prompt) ?? planOutput(prompt, traits)
  const { plan, instructions, turns } = writeConversation(prompt, target, traits, output)
  const hints = [output.hint, demandsCall(prompt) && !traits.forcedTools ? callHint(prompt) : null]
  const body = omitAbsent<JsonObject>({
    ...(prompt.format === 'messages' ? prompt.extra : {}),
    model: target.model,
    max_tokens: plan.maxTokens,
    system: joinInstructions([...instructions, ...hints.flatMap(hint => textBlocks(hint ?? ''))]),
    messages: turns,
    ...renderTools(prompt, traits, output.tool),
    thinking: plan.thinking ?? undefined,
    output_config: outputConfig(prompt, plan.effort, output.format),
    ...renderSampling(prompt.sampling, traits, plan),
    stop_sequences: stopSequences(prompt),
    stream: prompt.stream ? true : undefined,
    metadata: set['metadata'],
  })
  const binds = plan.thinking?.['block_binding'] !== undefined
  return {
    path: ['messages'],
    ...headersOf(prompt, binds ? 'thinking-binding-controls-2026-08-01' : undefined),
    body,
    reading: { jsonTool: output.tool?.name ?? null },
  }
}

const noJsonTool = { jsonTool: null }

/** The client's own bytes with these fields; null if the prompt is of another format or has been changed. */
function findPassedBody({ format, source, messages }: Prompt, fields: JsonObject): Uint8Array | null {
  if (format !== 'messages' || source === null || source.messages !== messages) return null
  return patchBody(source.body, fields)
}

function headersOf({ headers }: Prompt, beta?: string): Pick<UpstreamRequest, 'headers'> {
  if (beta === undefined) return headers === undefined ? {} : { headers }
  const given = headers?.['anthropic-beta']
  return { headers: { ...headers, 'anthropic-beta': given === undefined ? beta : `${given},${beta}` } }
}

/** Blocks that only have text are one text; others may end a cached prefix. */
function joinInstructions(blocks: readonly JsonObject[]): string | readonly JsonObject[] | undefined {
  if (blocks.length === 0) return undefined
  const isPlain = blocks.every(block => Object.keys(block).length === 2)
  return isPlain ? blocks.map(({ text }) => text).join('\n\n') : blocks
}

/** A client of this format has said itself in which form it wants the answer. */
function planOwnOutput({ format, extra }: Prompt): OutputPlan | null {
  const config = format === 'messages' ? extra['output_config'] : undefined
  if (!isJsonObject(config)) return null
  return { format: isJsonObject(config['format']) ? config['format'] : null, tool: null, hint: null }
}

function writeConversation(prompt: Prompt, { facts }: Target, traits: AnthropicTraits, output: OutputPlan) {
  const isForced = (demandsCall(prompt) && traits.forcedTools) || output.tool !== null
  const write = (plan: ThinkingPlan) => ({
    plan,
    ...renderConversation(prompt.messages, {
      isOwn: prompt.format === 'messages',
      keepsThinking: plan.thinks,
      systemTurns: traits.systemTurns,
      prefill: traits.prefill && !plan.thinks && output.format === null && output.tool === null,
    }),
  })
  const asked = write(planOwnThinking(prompt, facts, traits) ?? planThinking(prompt, facts, traits, isForced))
  const isRefused = asked.plan.thinking?.['type'] === 'enabled' && !endsInSignedChain(asked.turns)
  return isRefused ? write(planThinking({ ...prompt, reasoning: undefined }, facts, traits, isForced)) : asked
}

function outputConfig({ format, extra }: Prompt, effort: string | null, output: JsonObject | null) {
  const given = format === 'messages' ? extra['output_config'] : undefined
  const config = omitAbsent<JsonObject>({
    ...(isJsonObject(given) ? given : {}),
    effort: effort ?? undefined,
    format: output ?? undefined,
  })
  return Object.keys(config).length === 0 ? undefined : config
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
