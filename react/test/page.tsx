// A page with the hooks, for tests in a browser: each component writes what its hooks return where the test reads it.
import { type Completion, type Limits, SallyportProvider, useCompletion, useLimits } from '@sallyport/react'
import type { CompletionRequest } from '@sallyport/sdk/completions'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

interface Setting {
  baseUrl: string
  token: string
  request?: CompletionRequest
}

interface Shown extends Omit<Completion, 'complete' | 'stop' | 'failure'> {
  code: string | null
  limits: Limits
}

let shown: Shown[] = []
let hooks: Completion | undefined
let loads = 0
let renderAgain: (() => void) | undefined
let close: (() => void) | undefined

function Answer({ request }: Pick<Setting, 'request'>) {
  hooks = useCompletion(request)
  const { complete: _, stop: __, failure, ...rest } = hooks
  shown.push({ ...rest, code: failure?.code ?? null, limits: useLimits() })
  return <output>{rest.text}</output>
}

function App({ baseUrl, token, request }: Setting) {
  const [, count] = useState(0)
  renderAgain = () => count(old => old + 1)
  const load = () => {
    loads++
    return { token, ttl: 600 }
  }
  return (
    <SallyportProvider baseUrl={baseUrl} tokenProvider={load}>
      <Answer request={request} />
    </SallyportProvider>
  )
}

const pageFunctions = {
  open(setting: Setting) {
    close?.()
    shown = []
    loads = 0
    const root = createRoot(document.body.appendChild(document.createElement('main')))
    close = () => root.unmount()
    root.render(
      <StrictMode>
        <App {...setting} />
      </StrictMode>,
    )
  },
  complete: (input?: string | CompletionRequest) => hooks?.complete(input),
  /** Does not wait. */
  begin: (input?: string | CompletionRequest) => void hooks?.complete(input),
  stop: () => hooks?.stop(),
  renderAgain: () => renderAgain?.(),
  close: () => close?.(),
  loads: () => loads,
  /** The last state, and all statuses since the page was opened, each once in a row. */
  read() {
    const statuses = shown.map(({ status }) => status).filter((status, at, all) => status !== all[at - 1])
    return { ...shown.at(-1), statuses, onPage: document.querySelector('output')?.textContent ?? null }
  },
}

export type HooksPage = typeof pageFunctions
Object.assign(globalThis, { pageFunctions })
