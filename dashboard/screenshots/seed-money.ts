// What the seeded tenant sets beside its projects: budgets, prices and webhooks; and routes in the draft of its new
// project. Last of all, because prices and budgets would change the requests.
import type { Installation } from './installation.ts'

interface SeededIds {
  tenantId: string
  newProjectId: string
}

const dayMs = 24 * 60 * 60_000

export async function seedMoney({ call }: Installation, credential: string, ids: SeededIds): Promise<void> {
  const tenant = `/auth/v1/tenants/${ids.tenantId}`
  const put = (path: string, body: object) => call('PUT', path, { credential, body })
  await put(`${tenant}/providers/mistral`, { api_key: 'a-simulated-key-of-harbour-books' })
  await put(`/auth/v1/projects/${ids.newProjectId}/settings`, draft)
  const { spent_usd: spent } = await call<{ spent_usd: { month: number } }>('GET', `${tenant}/budgets`, {
    credential,
  })
  const budgets = [
    { usd: 0.25, period: 'day' },
    { usd: roundAmount(spent.month / 0.86), period: 'month' },
  ]
  await put(`${tenant}/budgets`, { budgets })
  await put(`${tenant}/prices`, { model: 'openai/gpt-4o', input: 2.1, cached_input: 1.05, output: 8.4 })
  const effective_from = new Date(Date.now() + 30 * dayMs).toISOString().slice(0, 10)
  await put(`${tenant}/prices`, { model: 'openai/gpt-4o', input: 2, cached_input: 1, output: 8, effective_from })
  await put(`${tenant}/prices`, { model: 'mistral/mistral-large-latest', input: 1.6, output: 4.8 })
  for (const body of webhooks) await call('POST', `${tenant}/webhooks`, { credential, body })
}

const draft = {
  routes: {
    strategy: 'fallback',
    targets: [{ model: 'openai/gpt-4.1-mini', timeout_ms: 20_000 }, { model: 'mistral/mistral-large-latest' }],
    first_token_timeout_ms: 10_000,
  },
  cache: { ttl_seconds: 3600, scope: 'user' },
  budgets: [{ usd: 25, period: 'day' }],
}

const webhooks = [
  { url: 'https://hooks.books.example.com/gateway' },
  { url: 'https://alerts.books.example.com/money', types: ['budget_alert', 'price_set', 'price_deleted'] },
]

/** Such as a person would set: to two digits, and not less than a cent. */
const roundAmount = (usd: number): number => Number(Math.max(usd, 0.01).toPrecision(2))
