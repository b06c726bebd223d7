// What an application may write: the compiler checks this file, against the package's build. `types.test.ts` has what it
// must not write.
import {
  type Completion,
  type Limits,
  type SallyportClient,
  SallyportProvider,
  toSentence,
  useCompletion,
  useLimits,
  useSallyport,
} from '@sallyport/react'
import { anonymousTokens, openaiOptions, type SallyportError, sendFeedback } from '@sallyport/sdk'
import { createChatTransport } from '@sallyport/sdk/ai'
import type { AnswerUsage } from '@sallyport/sdk/completions'
import type { ReactElement } from 'react'

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const expectSame = <A, B>(_: IsSame<A, B>): void => undefined

const baseUrl = 'https://amber-falcon-4821.example.com'
const tokenProvider = anonymousTokens({ baseUrl })

export function Fields(): ReactElement {
  const completion = useCompletion({ prompt: { id: 'chat', variables: { topic: 'tea', words: 50 } }, temperature: 0 })
  const { text, status, error, failure, usage, complete, stop } = completion
  expectSame<typeof text, string>(true)
  expectSame<typeof status, 'ready' | 'submitted' | 'streaming' | 'error'>(true)
  expectSame<typeof error, string | null>(true)
  expectSame<typeof failure, SallyportError | null>(true)
  expectSame<typeof usage, AnswerUsage | null>(true)
  expectSame<typeof completion, Completion>(true)
  expectSame<ReturnType<typeof complete>, Promise<string | null>>(true)
  const limits = useLimits()
  expectSame<typeof limits, Limits>(true)
  expectSame<typeof limits.blockedUntil, Date | null>(true)
  return (
    <button type="button" onClick={stop} title={toSentence(failure)}>
      {text} {limits.requests?.remaining}
    </button>
  )
}

export function Calls(): null {
  const { complete } = useCompletion()
  const calls = [
    () => complete('Hello'),
    () => complete(),
    () => complete({ messages: [{ role: 'user', content: 'Hello' }], model: 'openai/gpt-4o-mini' }),
  ]
  return calls.length > 0 ? null : null
}

export function Rest(): null {
  const sallyport = useSallyport()
  expectSame<typeof sallyport, SallyportClient>(true)
  createChatTransport(sallyport)
  openaiOptions(sallyport)
  void sendFeedback(sallyport, { requestId: '1', score: 1 })
  return null
}

export const trees = [
  <SallyportProvider key="1" baseUrl={baseUrl} tokenProvider={tokenProvider}>
    <Fields />
    <Rest />
  </SallyportProvider>,
  <SallyportProvider key="2" baseUrl={baseUrl} tokenProvider={() => fetch('/token')} />,
  <SallyportProvider key="3" baseUrl={baseUrl} tokenProvider={({ isRejected }) => ({ token: String(isRejected) })} />,
]
