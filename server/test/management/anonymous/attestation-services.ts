// A local server that plays the services that check attestations: Turnstile, hCaptcha, reCAPTCHA and the keys of App
// Check. Tokens that begin with `good` are genuine, once.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, SignJWT } from 'jose'

export const serviceSecret = 'secret-of-the-service-0123456789'
export const firebaseProject = '123456789012'

export interface AttestationServices {
  env: Record<string, string>
  /** The forms that arrived, by path. */
  received: { path: string; form: Record<string, string> }[]
  /** Answers 503 to everything while it is true. */
  isDown: boolean
  /** A token of App Check, by default a valid one. */
  signAppCheck(claims?: object): Promise<string>
  stop(): void
}

const siteVerifyPaths = ['/turnstile/v0/siteverify', '/siteverify', '/recaptcha/api/siteverify']

export async function startServices(): Promise<AttestationServices> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'app-check-1', alg: 'RS256', use: 'sig' }
  const used = new Set<string>()
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    services.received.push({ path, form })
    response.writeHead(services.isDown ? 503 : 200, { 'content-type': 'application/json' })
    if (services.isDown) return response.end('{}')
    if (path === '/v1/jwks') return response.end(JSON.stringify({ keys: [jwk] }))
    if (!siteVerifyPaths.includes(path)) return response.end('not a service')
    response.end(JSON.stringify(judge(path, form)))
  })

  function judge(path: string, { secret = '', response: token = '' }: Record<string, string>): object {
    if (secret !== serviceSecret) return { success: false, 'error-codes': ['invalid-input-secret'] }
    if (used.has(token)) return { success: false, 'error-codes': ['timeout-or-duplicate'] }
    used.add(token)
    if (token.startsWith('bot')) return { success: true, score: 0.1 }
    if (!token.startsWith('good')) return { success: false, 'error-codes': ['invalid-input-response'] }
    return { success: true, hostname: 'app.example', ...(path.startsWith('/recaptcha') ? { score: 0.9 } : {}) }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const base = `http://127.0.0.1:${address.port}`
  const services: AttestationServices = {
    env: {
      TURNSTILE_BASE_URL: base,
      HCAPTCHA_BASE_URL: base,
      RECAPTCHA_BASE_URL: base,
      APP_CHECK_BASE_URL: base,
    },
    received: [],
    isDown: false,
    signAppCheck: (claims = {}) =>
      new SignJWT({
        iss: `https://firebaseappcheck.googleapis.com/${firebaseProject}`,
        aud: [`projects/${firebaseProject}`, 'projects/some-name'],
        sub: '1:123456789012:web:abc',
        jti: randomUUID(),
        iat: Math.floor(Date.now() / 1000),
        exp: Math.floor(Date.now() / 1000) + 3600,
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'app-check-1' })
        .sign(privateKey),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  return services
}
