// What one answered request consumed, as a row of the accounts.

export interface UsageRecord {
  requestId: string
  tenantId: string
  projectId: string
  userId: string
  model: string
  provider: string
  promptTokens: number
  completionTokens: number
  totalTokens: number
  cachedTokens: number
  reasoningTokens: number
  costUsd: number
  /** Counted here, because the provider did not say. */
  isEstimated: boolean
  /** Epoch ms. */
  at: number
}

export interface Accounts {
  /** Never waits; rows are written in batches. */
  add(record: UsageRecord): void
}
