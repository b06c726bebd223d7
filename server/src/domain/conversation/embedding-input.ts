// What a request for vectors asks for. Each of its inputs is one message of a prompt, so that the guardrails read them
// like any other text.

import type { Message, Prompt, UserMessage, VectorEncoding } from './prompt.ts'

export const vectorEncodings = ['float', 'base64'] as const satisfies readonly VectorEncoding[]

const tokensKind = 'tokens'

/** An input that the client has split into the model's tokens. */
export function messageOfTokens(tokens: readonly number[]): UserMessage {
  return { role: 'user', content: [{ type: 'other', kind: tokensKind, value: { tokens } }] }
}

/** Null if the message is a text. */
export function findTokens({ content }: Message): readonly number[] | null {
  if (content === null || typeof content === 'string') return null
  const [part] = content
  return part?.type === 'other' && part.kind === tokensKind ? (part.value['tokens'] as readonly number[]) : null
}

/** All inputs of a request are tokens, or none is. */
export function hasTokens({ messages, embedding }: Prompt): boolean {
  const [first] = messages
  return embedding !== undefined && first !== undefined && findTokens(first) !== null
}
