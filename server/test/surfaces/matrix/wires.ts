// Which wire format each provider gets from which surface.

import type { MatrixProvider } from './cells.ts'
import { bedrockWire } from './upstream-bedrock.ts'
import { azureChat, customChat, mistralChat, openaiChat, openrouterChat } from './upstream-chat.ts'
import { anthropicWire, cohereWire, geminiWire, vertexWire } from './upstream-native.ts'
import type { UpstreamWire } from './upstream-wire.ts'

export const chatWires: Record<MatrixProvider, UpstreamWire> = {
  openai: openaiChat,
  anthropic: anthropicWire,
  google: geminiWire,
  openrouter: openrouterChat,
  mistral: mistralChat,
  cohere: cohereWire,
  custom: customChat,
  azure: azureChat,
  bedrock: bedrockWire,
  vertex: vertexWire,
}
