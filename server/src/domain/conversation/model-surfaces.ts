// Which inbound wire formats a model can answer, by its capabilities in the registry.

import { type JsonObject, ownValue } from '../json-object.ts'
import { type EndpointRow, endpointRows } from './operations.ts'

export type ModelSurface = EndpointRow['modelSurface']
export const modelSurfaces = surfacesOf(endpointRows)

const surfacesOfChatModels = surfacesOf(endpointRows.filter(({ operation }) => operation.isOfChatModels))
const onlyResponses: readonly ModelSurface[] = ['responses']

/** Models are taken for chat models unless the registry says otherwise. */
export function readModelSurfaces(capabilities: JsonObject): readonly ModelSurface[] {
  const listed = ownValue(capabilities, 'surfaces')
  if (Array.isArray(listed)) return modelSurfaces.filter(surface => listed.includes(surface))
  return ownValue(capabilities, 'chatCompletions') === false ? onlyResponses : surfacesOfChatModels
}

function surfacesOf(rows: readonly EndpointRow[]): readonly ModelSurface[] {
  return [...new Set(rows.map(({ modelSurface }) => modelSurface))]
}
