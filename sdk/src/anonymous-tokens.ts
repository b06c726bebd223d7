// Provides tokens to users without an account, straight from the gateway: no server of your own is needed. By default a
// proof of work is the attestation.
import { callGateway, type Fetch, globalFetch } from './call-gateway.ts'
import { readBaseUrl } from './gateway-address.ts'
import { SallyportError, toRecord } from './sallyport-error.ts'
import { createTokenProvider, type TokenProvider } from './token-provider.ts'
import type { AnonymousRequest, AttestationProof } from './wire.ts'

export interface AnonymousOptions {
  /** The project's address: `https://{slug}.{domain}` or `{BASE_URL}/p/{slug}`. */
  baseUrl: string
  /** Gets a fresh attestation of another kind, such as the token of a captcha; by default a proof of work is done. */
  attest?: () => AttestationProof | Promise<AttestationProof>
  /**
   * A secret of this device, by which the gateway knows it again. By default one is made up and kept in `localStorage`;
   * null: every token is of a new user.
   */
  device?: string | null
  /** Ends the work on a proof; the token that is waited for is rejected with its reason. */
  signal?: AbortSignal
  fetch?: Fetch
  /** For each request; by default 10 seconds. */
  timeoutMs?: number
  /** After the first attempt; by default 2. */
  maxRetries?: number
}

const storageKey = 'sallyport-device'

export function anonymousTokens(options: AnonymousOptions): TokenProvider {
  const url = `${readBaseUrl(options.baseUrl)}/v1/auth/anonymous`
  const { fetch = globalFetch, timeoutMs = 10_000, maxRetries = 2, signal } = options
  const policy = { fetch, timeoutMs, maxRetries }
  const attest = options.attest ?? (() => proveWork(`${url}/challenge`, policy, signal))
  let device = options.device

  return createTokenProvider(async () => {
    signal?.throwIfAborted()
    if (device === undefined) device = keepDevice()
    const attestation = await attest()
    const request: AnonymousRequest = { attestation, ...(device === null ? {} : { device }) }
    // An attestation is accepted once: a repetition of the same request could only fail.
    const once = { ...policy, maxRetries: 0 }
    const headers = { 'content-type': 'application/json' }
    return toRecord(await callGateway(url, { method: 'POST', headers, body: JSON.stringify(request) }, once))
  })
}

async function proveWork(
  url: string,
  policy: Parameters<typeof callGateway>[2],
  signal?: AbortSignal,
): Promise<AttestationProof> {
  // Bundlers make a file of its own of it: other applications never load it.
  const [answer, { solveChallenge }] = await Promise.all([
    callGateway(url, { method: 'GET' }, policy),
    import('./solve-challenge.ts'),
  ])
  const { challenge, difficulty } = toRecord(answer)
  if (typeof challenge !== 'string' || typeof difficulty !== 'number') {
    throw new SallyportError('The answer holds no challenge', { status: 200, code: 'INVALID_RESPONSE' })
  }
  return { kind: 'proof_of_work', token: await solveChallenge({ challenge, difficulty }, signal) }
}

/** Pages without storage, for example in a private window, get a user for as long as they are open. */
function keepDevice(): string {
  const made = makeDevice()
  try {
    const { localStorage } = globalThis
    const kept = localStorage.getItem(storageKey)
    if (kept !== null && /^[A-Za-z0-9_-]{16,128}$/.test(kept)) return kept
    localStorage.setItem(storageKey, made)
  } catch {
    return made
  }
  return made
}

function makeDevice(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
