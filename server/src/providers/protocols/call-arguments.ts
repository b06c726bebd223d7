// The arguments of a call for formats that have them as JSON, not as text: the client's own text.

import type { ToolCall } from '../../domain/conversation/prompt.ts'
import { Refusal } from '../../domain/errors.ts'
import { JsonText } from '../../domain/json/json-text.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'

export function argumentsOf({ name, arguments: text }: ToolCall): JsonText {
  if (text.trim() === '') return JsonText.of({})
  if (isJsonObject(parseJson(text))) return new JsonText(text)
  throw new Refusal('invalid_request', {
    message: `The arguments of the call of ${name.slice(0, 64)} are not a JSON object`,
    param: 'messages',
  })
}
