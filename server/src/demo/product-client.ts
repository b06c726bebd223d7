// The requests of the demo: to the management API and to the project's model route, over HTTP as any client sends them.

export interface ProductClient {
  baseUrl: string
  /** Aborts all requests when the demo ends. */
  signal: AbortSignal
}

interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  body?: unknown
}

/** One request of an end user. */
export interface CompletionRequest {
  slug: string
  token: string
  body: { stream?: true; messages: { role: 'user'; content: string }[] }
}

export const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })

export const completionUrl = (baseUrl: string, slug: string) => `${baseUrl}/p/${slug}/v1/chat/completions`

/** The body of a successful response. */
export async function callApi<Body>(
  { baseUrl, signal }: ProductClient,
  { method, path, headers, body }: ApiRequest,
): Promise<Body> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  })
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`)
  return (await response.json()) as Body
}

export function sendCompletion({ baseUrl, signal }: ProductClient, request: CompletionRequest): Promise<Response> {
  return fetch(completionUrl(baseUrl, request.slug), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(request.token) },
    body: JSON.stringify(request.body),
    signal,
  })
}

/** The frames of a stream as they arrive, each without its blank line. */
export async function* readFrames(response: Response): AsyncGenerator<string> {
  if (!response.ok || response.body === null) throw new Error(`the stream was answered with ${response.status}`)
  let rest = ''
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split('\n\n')
    rest = frames.pop() ?? ''
    yield* frames
  }
  if (rest !== '') throw new Error('the stream ended within a frame')
}

export const lastFrame = 'data: [DONE]'

/** The piece of the answer in a frame; empty in frames without one. */
export function contentOf(frame: string): string {
  if (!frame.startsWith('data: {')) return ''
  const { choices } = JSON.parse(frame.slice('data: '.length)) as { choices?: { delta?: { content?: string } }[] }
  return choices?.[0]?.delta?.content ?? ''
}
