// Keeps project API keys out of programs on end users' devices: pages, their workers and mobile apps.

const apiKeyPrefix = 'service_sk_'

export function looksLikeApiKey(secret: string): boolean {
  return secret.startsWith(apiKeyPrefix)
}

export function refuseInBrowser(what: string): void {
  if (!isClientDevice()) return
  throw new Error(
    `${what} must not run in a browser or a mobile app: everybody who opens it could read the API key. ` +
      'Mint on your server, and give the page a token with createTokenProvider(() => fetch("/token")).',
  )
}

/** Servers and edge runtimes may define `window`, or have workers of their own; their user agent names the runtime. */
function isClientDevice(): boolean {
  const { document, WorkerGlobalScope, navigator } = globalThis as {
    document?: unknown
    WorkerGlobalScope?: unknown
    navigator?: { userAgent?: string; product?: string }
  }
  if (navigator?.product === 'ReactNative') return true
  const isPage = typeof document === 'object' && document !== null
  const isWorker = WorkerGlobalScope !== undefined && navigator?.userAgent?.startsWith('Mozilla/') === true
  return isPage || isWorker
}
