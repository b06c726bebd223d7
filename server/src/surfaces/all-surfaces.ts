// The inbound wire formats: one line each.

import { chatCompletions } from './chat-completions/chat-completions.ts'
import type { Surface } from './surface.ts'

export const surfaces: readonly [Surface, ...Surface[]] = [chatCompletions]
