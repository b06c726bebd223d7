// Writes the prompt of a turn as the target's provider gets it: with all messages, in what its format can express.

import type { AdmittedCall } from '../call/admitted-call.ts'
import type { Prompt } from '../domain/conversation/prompt.ts'
import type { Protocol } from '../providers/protocols/protocol.ts'
import { translatePrompt } from '../providers/protocols/translate-prompt.ts'
import type { Surface } from '../surfaces/surface.ts'
import type { Turn } from './turn.ts'

/** Throws if the provider's format cannot express the prompt. */
export function promptForProvider({ call, surface, request, messages }: Turn, { wireFormat }: Protocol): Prompt {
  const given = messages === request.prompt.messages ? request.prompt : { ...request.prompt, messages }
  const translated = translatePrompt(given, wireFormat)
  return wireFormat === surface.wireFormat ? withHeaders(translated, surface, call.request.headers) : translated
}

function withHeaders(prompt: Prompt, { providerHeaders }: Surface, given: AdmittedCall['request']['headers']): Prompt {
  const headers: Record<string, string> = {}
  for (const name of providerHeaders) {
    const value = given[name]
    if (typeof value === 'string') headers[name] = value
  }
  return providerHeaders.length === 0 ? prompt : { ...prompt, headers }
}
