// The name of every key in Redis; docs/kv-schema.md lists them. The keys of one project share a hash tag.

export const defaultPrefix = 'sallyport:'

export type RedisKeys = ReturnType<typeof nameKeys>

export function nameKeys(prefix = defaultPrefix) {
  const ofProject = (kind: string) => (projectId: string) => `${prefix}${kind}:{${projectId}}`
  return {
    epoch: `${prefix}epoch`,
    /** Exists while the worker fills the store; an emptied store has lost it. */
    filling: (id: string) => `${prefix}filling:${id}`,
    ping: `${prefix}ping`,
    changes: `${prefix}changes`,
    killSwitches: `${prefix}kill-switches`,
    slug: (slug: string) => `${prefix}slug:${slug}`,
    config: ofProject('config'),
    keySet: ofProject('key-set'),
    restrictions: ofProject('restrictions'),
    providerKeys: (tenantId: string) => `${prefix}provider-keys:{${tenantId}}`,
    projectRequests: ofProject('requests'),
    userRequests: (projectId: string, userId: string) => `${prefix}requests:{${projectId}}:${userId}`,
    /** The day's number is appended, by the scripts too. */
    spend: (projectId: string) => `${prefix}spend:{${projectId}}:`,
    reservations: ofProject('held'),
    /** The period is appended, by the scripts too. */
    budgetPeriods: (tenantId: string) => `${prefix}budgets:{${tenantId}}:`,
    budgetHolds: (tenantId: string) => `${prefix}budgets-held:{${tenantId}}`,
    /** Exists if this report of requests was counted. */
    report: (id: string) => `${prefix}report:${id}`,
    window: (name: string) => `${prefix}window:${name}`,
    /** The hour's number is appended by the scripts. */
    diagnostics: (projectId: string) => `${prefix}diagnostics:{${projectId}}:`,
    /** The minute's number is appended by the scripts. */
    activity: (projectId: string) => `${prefix}activity:{${projectId}}:`,
    conversation: (key: string) => `${prefix}conversation:${key}`,
    answer: (key: string) => `${prefix}answer:${key}`,
    answerOrder: `${prefix}answer-order`,
    answerSizes: `${prefix}answer-sizes`,
    // The default prefix gives the name that other readers of the stream expect. Installations that share a server have
    // a stream each.
    events: prefix === defaultPrefix ? 'guardrails:events' : `${prefix}guardrails:events`,
    eventQuota: (tenantId: string) => `${prefix}event-quota:${tenantId}`,
    eventDrops: `${prefix}event-drops`,
    eventCounts: `${prefix}event-counts`,
    usageShelf: `${prefix}usage-shelf`,
    replicas: `${prefix}replicas`,
  }
}
