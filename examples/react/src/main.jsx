// A page that streams answers without a server: its users have no account, and fill in a prompt of the project.
import { SallyportProvider, useCompletion, useLimits } from '@sallyport/react'
import { anonymousTokens } from '@sallyport/sdk'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

const baseUrl = import.meta.env.SALLYPORT_URL
const tokenProvider = anonymousTokens({ baseUrl })

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <SallyportProvider baseUrl={baseUrl} tokenProvider={tokenProvider}>
      <Chat />
      <Remaining />
    </SallyportProvider>
  </StrictMode>,
)

function Chat() {
  const { text, error, status, complete, stop } = useCompletion({ prompt: { id: 'chat' } })
  const isRunning = status === 'submitted' || status === 'streaming'
  return (
    <form action={form => void complete(form.get('message'))}>
      <h1>Chat</h1>
      <label>
        Message <input name="message" required />
      </label>
      <button type="submit" name="send" disabled={isRunning}>
        Send
      </button>
      <button type="button" name="stop" disabled={!isRunning} onClick={stop}>
        Stop
      </button>
      <p>
        <output>{text}</output>
      </p>
      {error && <p role="alert">{error}</p>}
    </form>
  )
}

function Remaining() {
  const { requests, blockedUntil } = useLimits()
  if (blockedUntil) return <small>You can go on at {blockedUntil.toLocaleTimeString()}.</small>
  return requests && <small>{requests.remaining} requests left in this minute.</small>
}
