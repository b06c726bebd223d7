// The first steps of a new user over the HTTP API: a tenant, a project, a key, a token, an answer.

export interface Account {
  email: string
  password: string
}

export interface Walk {
  slug: string
  apiKey: string
  token: string
}

interface ApiRequest {
  method: 'GET' | 'POST'
  path: string
  bearer?: string
  body?: unknown
}

export async function prepareProject(baseUrl: string, account: Account): Promise<Walk> {
  const session = await call<{ session_token: string }>(baseUrl, {
    method: 'POST',
    path: '/auth/v1/sessions',
    body: account,
  })
  const bearer = session.session_token
  const post = <Answer>(path: string, body: unknown) => call<Answer>(baseUrl, { method: 'POST', path, bearer, body })
  const tenant = await post<{ id: string }>('/auth/v1/tenants', { name: 'Demo' })
  const project = await post<{ id: string; slug: string }>(`/auth/v1/tenants/${tenant.id}/projects`, { name: 'Demo' })
  const key = await post<{ api_key: string }>(`/auth/v1/projects/${project.id}/api-keys`, {})
  const minted = await call<{ access_token: string }>(baseUrl, {
    method: 'POST',
    path: '/auth/v1/auth/mint',
    bearer: key.api_key,
    body: { user_id: 'demo-user', ttl: 86_400 },
  })
  return { slug: project.slug, apiKey: key.api_key, token: minted.access_token }
}

/** Passes on each piece of the answer's text as it arrives. */
export async function streamAnswer(address: string, token: string, onText: (text: string) => void): Promise<void> {
  const response = await fetch(`${address}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Say hello to a platform engineer.' }] }),
  })
  if (!response.ok || response.body === null) throw new Error(`the completion was answered ${response.status}`)
  let rest = ''
  let isWhole = false
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === 'data: [DONE]') isWhole = true
      else if (line.startsWith('data: ')) onText(JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '')
    }
  }
  if (!isWhole) throw new Error('the answer broke off')
}

async function call<Answer>(baseUrl: string, { method, path, bearer, body }: ApiRequest): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}`)
  return (await response.json()) as Answer
}
