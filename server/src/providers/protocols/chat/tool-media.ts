// Moves images and files out of the results of tools, which hold only text in this format, into a user message after
// the results.

import { type Message, type Part, partsOfDocument, type ToolMessage } from '../../../domain/conversation/prompt.ts'

const shownBelow = 'The content follows in the next user message.'

export function moveMedia(messages: readonly Message[]): Message[] {
  const moved: Message[] = []
  let media: Part[] = []
  for (const message of messages) {
    if (message.role !== 'tool' && media.length > 0) {
      moved.push({ role: 'user', content: media })
      media = []
    }
    if (message.role === 'tool') moved.push(withoutMedia(message, media))
    else moved.push(message)
  }
  return media.length === 0 ? moved : [...moved, { role: 'user', content: media }]
}

function withoutMedia(message: ToolMessage, into: Part[]): ToolMessage {
  if (typeof message.content === 'string') return message
  const parts = message.content.flatMap(part => (part.type === 'document' ? partsOfDocument(part) : [part]))
  const texts = parts.filter(({ type }) => type === 'text')
  if (texts.length === parts.length) return message
  into.push(...parts.filter(({ type }) => type !== 'text'))
  return { ...message, content: texts.length === 0 ? shownBelow : texts }
}
