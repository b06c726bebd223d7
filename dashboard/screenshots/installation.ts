// An installation in a temporary folder, in front of the simulated provider, whose clock can be set into the past.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startSimulatedProvider } from '../../server/src/demo/simulated-provider.ts'
import { startProduct } from '../../server/test/support/start-product.ts'

export const owner = { email: 'nora@example.com', password: 'correct horse battery staple' }
export const adminSecret = 'an admin secret for screenshots, long enough'

export interface Installation {
  /** Under the name that the dashboard's cookies belong to. */
  origin: string
  /** Of the simulated provider, up to and including the version segment. */
  providerUrl: string
  setClock(shiftMs: number): void
  /** The status and the text of a response, whatever the status is. */
  send(method: string, path: string, options?: SendOptions): Promise<{ status: number; text: string }>
  /** The body of a successful response. */
  call<Body = { id: string }>(method: string, path: string, options?: SendOptions): Promise<Body>
  stop(): Promise<void>
}

interface SendOptions {
  /** A session, an API key or an end user's token. */
  credential?: string
  headers?: Record<string, string>
  body?: object
}

export async function startInstallation(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-screenshots-'))
  const clockFile = join(folder, 'clock')
  const setClock = (shiftMs: number): void => {
    // The product's times are whole milliseconds.
    writeFileSync(`${clockFile}.new`, String(Math.round(shiftMs)))
    // The server must never read half a number.
    renameSync(`${clockFile}.new`, clockFile)
  }
  setClock(0)
  const provider = await startSimulatedProvider()
  const remove = async (): Promise<void> => {
    await provider.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const env = {
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts'))}`,
    SHIFTED_CLOCK_FILE: clockFile,
    DATA_DIR: join(folder, 'data'),
    BOOTSTRAP_EMAIL: owner.email,
    BOOTSTRAP_PASSWORD: owner.password,
    ADMIN_SECRET: adminSecret,
    OPENAI_BASE_URL: provider.baseUrl,
    OUTBOUND_ALLOW: new URL(provider.baseUrl).host,
    MISTRAL_BASE_URL: provider.baseUrl,
    // Webhooks go to names without an address: behind a proxy, the server does not resolve them. Nothing is delivered.
    HTTPS_PROXY: new URL(provider.baseUrl).origin,
    SYNC_INTERVAL: '1',
  }
  const product = await startProduct({ env }).catch(async error => {
    await remove()
    throw error
  })
  const send = sendTo(product.baseUrl)
  return {
    origin: `http://localhost:${product.port}`,
    providerUrl: provider.baseUrl,
    setClock,
    send,
    async call(method, path, options) {
      const { status, text } = await send(method, path, options)
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
      return text === '' ? null : JSON.parse(text)
    },
    async stop() {
      await product.stop()
      await remove()
    },
  }
}

function sendTo(baseUrl: string): Installation['send'] {
  return async (method, path, { credential, headers, body } = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        // When the clock moves on, the server closes connections that it takes for idle.
        connection: 'close',
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
}
