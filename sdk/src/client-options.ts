// Options for the OpenAI client and for the Vercel AI SDK, in browsers and elsewhere. Imports neither.
import type { Fetch } from './call-gateway.ts'
import { readBaseUrl } from './gateway-address.ts'
import { createGatewayFetch, type GatewayFetchOptions } from './gateway-fetch.ts'

/** Clients require an API key; the fetch replaces it on each request. */
const placeholder = 'set-by-sallyport'

export interface OpenAiOptions {
  baseURL: string
  apiKey: string
  fetch: Fetch
  /** The browser holds a short-lived token, not an API key. */
  dangerouslyAllowBrowser: true
}

/** `new OpenAI(openaiOptions({ baseUrl, tokenProvider }))` */
export function openaiOptions(options: GatewayFetchOptions): OpenAiOptions {
  return { ...commonOptions(options), dangerouslyAllowBrowser: true }
}

export interface AiSdkOptions {
  name: string
  baseURL: string
  apiKey: string
  fetch: Fetch
  includeUsage: true
  supportsStructuredOutputs: true
}

/** `createOpenAICompatible(aiSdkOptions({ baseUrl, tokenProvider }))` */
export function aiSdkOptions(options: GatewayFetchOptions): AiSdkOptions {
  return { name: 'sallyport', ...commonOptions(options), includeUsage: true, supportsStructuredOutputs: true }
}

function commonOptions(options: GatewayFetchOptions) {
  return { baseURL: `${readBaseUrl(options.baseUrl)}/v1`, apiKey: placeholder, fetch: createGatewayFetch(options) }
}
