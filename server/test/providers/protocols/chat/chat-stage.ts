// The protocols of Chat Completions and pieces of their streams, for the tests beside this file.
import { chatCompletions } from '../../../../src/providers/protocols/chat/chat-completions.ts'
import { mistralDialect, openaiDialect } from '../../../../src/providers/protocols/chat/dialects.ts'

export const openai = chatCompletions(openaiDialect)
export const mistral = chatCompletions(mistralDialect)
