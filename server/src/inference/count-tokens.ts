// A local count of tokens, for answers whose provider gave none: a fourth of the characters, as English runs, and a few
// for each message. Linear in the text, and marked as an estimate wherever it is kept.

import type { Message } from '../domain/prompt.ts'
import { textOf } from '../domain/prompt.ts'

const charactersPerToken = 4
const tokensPerMessage = 4

export function estimatePromptTokens(messages: readonly Message[]): number {
  let characters = 0
  for (const message of messages) {
    characters += textOf(message.content).length
    if (message.role !== 'assistant') continue
    for (const call of message.toolCalls) characters += call.name.length + call.arguments.length
  }
  return messages.length * tokensPerMessage + estimateTokens(characters)
}

export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}
