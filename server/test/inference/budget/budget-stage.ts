// Projects whose provider bills every answer with the same tokens, for the tests of budgets. A prompt token of the model
// costs 150 nano-dollars, a generated one 600.
import type { Stage, TestProject } from '../inference-stage.ts'

/** What the provider bills for one answer, unless the test scripts something else. */
const billed = { prompt: 10_000, completion: 1_000 }
export const answerUsd = (billed.prompt * 150 + billed.completion * 600) / 1e9

export function answerBody({ prompt, completion } = billed) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  }
}

/** Its estimate is about 0.0006 dollars. */
export const shortRequest = { max_tokens: 1_000 }

interface BudgetAlert {
  project_id: string | null
  data: { level: string; threshold: number; usd: number; period: string }
}

/** In the order of their thresholds: those of one answer have the same time. */
export async function alertsOf({ harness }: Stage, tenantId: string): Promise<BudgetAlert[]> {
  const path = `/auth/v1/tenants/${tenantId}/events?type=budget_alert&limit=200`
  const answer = await harness.call('GET', path, { session: harness.owner.session })
  const alerts = (answer.body as { data: BudgetAlert[] }).data
  return alerts.sort((a, b) => a.data.threshold - b.data.threshold)
}

export async function putBudgets({ harness }: Stage, path: string, budgets: unknown): Promise<void> {
  const { session } = harness.owner
  const answer = await harness.call('PUT', `/auth/v1/${path}/budgets`, { session, body: { budgets } })
  if (answer.status !== 200) throw new Error(`PUT budgets answered ${answer.status}: ${answer.text}`)
}

/** In dollars, by the usage rows of the database. */
export async function usageOf({ harness }: Stage, project: Pick<TestProject, 'id'>): Promise<number> {
  const path = `/auth/v1/projects/${project.id}/usage`
  const answer = await harness.call('GET', path, { session: harness.owner.session })
  return (answer.body as { totals: { cost_usd: number } }).totals.cost_usd
}
