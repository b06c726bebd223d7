// The inbound wire formats: one line each.

import { chatCompletions } from './chat-completions/chat-completions.ts'
import { embeddings } from './embeddings/embeddings.ts'
import { messages } from './messages/messages.ts'
import { responses } from './responses/responses.ts'
import type { Surface } from './surface.ts'

export const surfaces: readonly [Surface, ...Surface[]] = [chatCompletions, responses, messages, embeddings]
