// What the form of the playground asks for: the fields of the request beside its conversation, and the next message.
import type { PlaygroundMessage, PlaygroundParams } from '../../api/run-playground.ts'
import type { FormValues } from '../../ui/form.tsx'
import type { Image } from './images-field.tsx'

export interface Asked {
  values: FormValues
  images: readonly Image[]
}

/** Throws an error whose message begins with the name of the field, so that the form shows it there. */
export function readAsked({ values, images }: Asked) {
  const { message = '', system = '', cache } = values
  return {
    system: system.trim(),
    message: readMessage(message, images),
    params: readParams(values),
    usesCache: cache !== undefined,
  }
}

function readParams({ temperature = '', max_tokens = '', tools = '' }: FormValues): PlaygroundParams {
  return {
    ...(temperature.trim() !== '' && { temperature: readNumber('temperature', temperature) }),
    ...(max_tokens.trim() !== '' && { max_tokens: readNumber('max_tokens', max_tokens) }),
    ...(tools.trim() !== '' && { tools: readTools(tools) }),
  }
}

function readNumber(field: string, text: string): number {
  const number = Number(text)
  if (Number.isFinite(number)) return number
  throw new Error(`${field} must be a number`)
}

function readTools(text: string): unknown[] {
  const value = parse(text)
  if (Array.isArray(value)) return value
  throw new Error('tools must be a JSON array, such as [{"type": "function", "function": {"name": "look_up"}}]')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Null if there is neither a text nor an image. */
function readMessage(text: string, images: readonly Image[]): PlaygroundMessage | null {
  if (images.length === 0) return text === '' ? null : { role: 'user', content: text }
  const parts = images.map(({ url }) => ({ type: 'image_url' as const, image_url: { url } }))
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...parts] }
}
