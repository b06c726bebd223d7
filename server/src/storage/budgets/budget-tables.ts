// The tables of budgets, a part of schema.ts.

type Millis = number
type Json = string

export interface BudgetTables {
  tenant_budgets: {
    tenant_id: string
    budgets: Json
    updated_at: Millis
  }
  end_user_budgets: {
    project_id: string
    user_id: string
    budgets: Json
    updated_at: Millis
  }
  /** What the platform's keys paid for while the operator bounds it; written with the usage rows, for 35 days. */
  platform_days: {
    tenant_id: string
    day: string // YYYY-MM-DD, UTC
    tokens: number
    cost_nanousd: number // by the registry's prices
  }
  /** The alerts that were recorded as events, so that each is recorded once; kept for 62 days. */
  budget_alerts: {
    tenant_id: string
    period: string // 2026-11 or 2026-11-24
    budget: string // its level, owner and amount
    threshold: number // percent
    created_at: Millis
  }
}
