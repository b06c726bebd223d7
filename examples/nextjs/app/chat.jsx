// A conversation with `useChat`. The page calls the gateway itself; this server only mints the token.
'use client'
import { useChat } from '@ai-sdk/react'
import { createChatTransport } from '@sallyport/sdk/ai'
import { useState } from 'react'

const fetchToken = ({ isRejected }) => fetch(`/token?fresh=${isRejected}`)

export function Chat({ baseUrl }) {
  const [transport] = useState(() => createChatTransport({ baseUrl, tokenProvider: fetchToken }))
  const { messages, sendMessage, status, stop, error } = useChat({ transport })
  const isRunning = status === 'submitted' || status === 'streaming'
  return (
    <main>
      <h1>Chat</h1>
      {messages.map(({ id, role, parts }) => (
        <p key={id} data-role={role}>
          {parts.map(part => (part.type === 'text' ? part.text : ''))}
        </p>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form action={form => void sendMessage({ text: form.get('message') })}>
        <label>
          Message <input name="message" required />
        </label>
        <button type="submit" name="send" disabled={isRunning}>
          Send
        </button>
        <button type="button" name="stop" disabled={!isRunning} onClick={stop}>
          Stop
        </button>
      </form>
    </main>
  )
}
