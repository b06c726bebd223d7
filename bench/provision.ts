// Prepares a product for load over the management API: a pro tenant, projects with limits that are never reached, a
// tier that limits each end user, API keys, and minted tokens.

export interface Operator {
  baseUrl: string
  adminSecret: string
  email: string
  password: string
}

export interface Quantities {
  projects: number
  tokensPerProject: number
  /** Settings of every project, in addition to the limits. */
  settings?: Record<string, unknown>
}

export interface LoadToken {
  /** The project's host. */
  host: string
  token: string
}

/** The maximum that the settings allow: 400 projects with it admit four million requests a minute. */
const requestsPerMinute = 10_000
const tokensPerDay = 1_000_000_000_000
const tier = 'measured'
const atOnce = 4

export async function provision(operator: Operator, quantities: Quantities): Promise<LoadToken[]> {
  const call = createCaller(operator.baseUrl)
  const { session_token: session } = await call('POST', '/auth/v1/sessions', null, {
    email: operator.email,
    password: operator.password,
  })
  const tenant = await call('POST', '/auth/v1/tenants', session!, { name: 'Measured' })
  await call('PUT', `/v1/admin/tenants/${tenant['id']}/plan`, null, { plan: 'pro' }, operator.adminSecret)
  const tokens: LoadToken[][] = []
  let next = 0
  const work = async () => {
    while (next < quantities.projects) {
      const number = next++
      tokens[number] = await makeProject(call, session!, tenant['id']!, number, quantities)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  // Token by token over all projects, so that two requests of one project never follow each other.
  return Array.from({ length: quantities.tokensPerProject }, (_, at) => tokens.map(ofProject => ofProject[at]!)).flat()
}

type Caller = ReturnType<typeof createCaller>

async function makeProject(call: Caller, session: string, tenantId: string, number: number, quantities: Quantities) {
  const { tokensPerProject: tokenCount, settings = {} } = quantities
  const project = await call('POST', `/auth/v1/tenants/${tenantId}/projects`, session, { name: `Project ${number}` })
  const path = `/auth/v1/projects/${project['id']}`
  const limits = { rpm_limit: requestsPerMinute, tokens_per_day: tokensPerDay }
  await call('PUT', `${path}/settings`, session, { ...limits, memory_enabled: false, ...settings })
  await call('POST', `${path}/tiers`, session, { name: tier, overrides: limits })
  await call('POST', `${path}/settings/deploy`, session)
  const { api_key: key } = await call('POST', `${path}/api-keys`, session, {})
  const tokens: LoadToken[] = []
  for (let user = 0; user < tokenCount; user++) {
    const body = { user_id: `user-${user}`, ttl: 86_400, tier }
    const { access_token: token } = await call('POST', '/auth/v1/auth/mint', key!, body)
    tokens.push({ host: project['fqdn_prod']!, token: token! })
  }
  return tokens
}

function createCaller(baseUrl: string) {
  return async (
    method: string,
    path: string,
    credential: string | null,
    body?: unknown,
    adminSecret?: string,
  ): Promise<Record<string, string>> => {
    const headers: Record<string, string> = {}
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (credential !== null) headers['authorization'] = `Bearer ${credential}`
    if (adminSecret !== undefined) headers['x-admin-secret'] = adminSecret
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as Record<string, string>
  }
}
