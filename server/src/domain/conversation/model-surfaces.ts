// Which inbound wire formats a model can answer, by its capabilities in the registry.

import { type JsonObject, ownValue } from '../json-object.ts'
import type { EndpointName } from './endpoint.ts'

export const modelSurfaces = ['chat_completions', 'responses', 'messages', 'embeddings'] as const
export type ModelSurface = (typeof modelSurfaces)[number]

const surfacesOfChatModels: readonly ModelSurface[] = ['chat_completions', 'responses', 'messages']
const onlyResponses: readonly ModelSurface[] = ['responses']

/** Models are taken for chat models unless the registry says otherwise. */
export function readModelSurfaces(capabilities: JsonObject): readonly ModelSurface[] {
  const listed = ownValue(capabilities, 'surfaces')
  if (Array.isArray(listed)) return modelSurfaces.filter(surface => listed.includes(surface))
  return ownValue(capabilities, 'chatCompletions') === false ? onlyResponses : surfacesOfChatModels
}

export function surfaceOf(endpoint: EndpointName): ModelSurface {
  return endpoint === 'count_tokens' ? 'messages' : endpoint
}
