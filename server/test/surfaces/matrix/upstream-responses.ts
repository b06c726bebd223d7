// The Responses API, as OpenAI answers clients of that format.

import { canonicaliseResponses } from '../../providers/protocols/responses/canonical.ts'
import {
  answerOf,
  callItem,
  eventsOf,
  messageItem,
  reasoningItem,
  streamOf,
} from '../../providers/protocols/responses/responses-wire.ts'
import { type Said, tokens } from './scenes.ts'
import { named, type UpstreamWire } from './upstream-wire.ts'

const usage = {
  input_tokens: tokens.prompt,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: tokens.completion,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: tokens.prompt + tokens.completion,
}

function itemsOf({ text, reasoning, refusal, calls }: Said) {
  return [
    ...(reasoning === '' ? [] : [reasoningItem('rs_1', [reasoning], 'gAAA')]),
    ...(text === '' ? [] : [messageItem('msg_1', text)]),
    ...(refusal === '' ? [] : [{ ...messageItem('msg_1', ''), content: [{ type: 'refusal', refusal }] }]),
    ...calls.map(({ id, name, arguments: given }, at) => callItem(`fc_${at}`, id, name, JSON.stringify(given))),
  ]
}

export const openaiResponses: UpstreamWire = {
  path: /^\/openai\/v1\/responses$/,
  whole: said => answerOf(itemsOf(said), usage),
  events: said => eventsOf(itemsOf(said), usage).map(event => streamOf([event])),
  // The end of the text, of its part and of its message, and the end of the response.
  lastEvents: 4,
  failure: named('error', {
    error: { type: 'server_error', code: 'server_error', message: 'Overloaded', param: null },
  }),
  rejection: { error: { message: 'Slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' } },
  canonicalise: canonicaliseResponses,
  asksForReasoning: body => (body['reasoning'] as { effort?: string } | undefined)?.effort === 'high',
}
