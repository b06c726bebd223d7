// The messages of a conversation, one below the other: who said it, its text, its images by number, and its tool calls.
import type { ReactNode } from 'react'
import type { PlaygroundMessage } from '../../api/run-playground.ts'
import { formatCountOf } from '../../ui/numbers.ts'
import { numbered } from '../requests/numbered.ts'

interface SaidMessagesProps {
  messages: readonly PlaygroundMessage[]
  /** In place of the text of the last message. */
  last?: ReactNode
}

export function SaidMessages({ messages, last }: SaidMessagesProps) {
  return (
    <ol className="flex flex-col gap-2">
      {numbered(messages).map(({ number, value: message }) => (
        <li key={number}>
          <span className="text-soft">{message.role}</span>
          {last !== undefined && number === messages.length - 1 ? last : <SaidText message={message} />}
          {(message.tool_calls ?? []).map(({ id, function: called }) => (
            <CalledTool key={id} name={called.name} given={called.arguments} />
          ))}
        </li>
      ))}
    </ol>
  )
}

export function SaidText({ message }: { message: PlaygroundMessage }) {
  const images = imagesIn(message)
  return (
    <>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {textOf(message)}
      </p>
      {images > 0 && <p className="text-soft">{formatCountOf(images, 'image')}</p>}
    </>
  )
}

export function CalledTool({ name, given }: { name: string; given: string }) {
  return (
    <p dir="auto" className="break-words">
      <code>{`${name}(${given})`}</code>
    </p>
  )
}

export function textOf({ content }: PlaygroundMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
}

const imagesIn = ({ content }: PlaygroundMessage): number =>
  typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image_url').length
