// Every step of the schema, oldest first. A new one is a file here and a line in the list.
import type { Migration } from '../migrate.ts'
import { accountsAndProjects } from './0001-accounts-and-projects.ts'
import { catalogAndOperations } from './0002-catalog-and-operations.ts'
import { endedSessions } from './0003-ended-sessions.ts'
import { conversationsAndUsage } from './0004-conversations-and-usage.ts'
import { guardrailEvents } from './0005-guardrail-events.ts'
import { dnsJobs } from './0006-dns-jobs.ts'
import { dnsTargets } from './0007-dns-targets.ts'
import { tierOrder } from './0008-tier-order.ts'
import { addedSettings } from './0009-added-settings.ts'
import { deletions } from './0010-deletions.ts'
import { sessionsAndResets } from './0011-sessions-and-resets.ts'
import { endUsers } from './0014-end-users.ts'
import { usersOfEvents } from './0015-users-of-events.ts'
import { usageByTier } from './0016-usage-by-tier.ts'
import { sourcesOfEvents } from './0017-sources-of-events.ts'
import { usageByEndpoint } from './0018-usage-by-endpoint.ts'
import { tenantProviders } from './0019-tenant-providers.ts'
import { storedResponses } from './0020-stored-responses.ts'
import { webhooks } from './0021-webhooks.ts'
import { usageRollups } from './0022-usage-rollups.ts'
import { tenantPrices } from './0025-tenant-prices.ts'
import { budgets } from './0027-budgets.ts'
import { budgetSpend } from './0028-budget-spend.ts'

export const allMigrations: readonly Migration[] = [
  accountsAndProjects,
  catalogAndOperations,
  endedSessions,
  conversationsAndUsage,
  guardrailEvents,
  dnsJobs,
  dnsTargets,
  tierOrder,
  addedSettings,
  deletions,
  sessionsAndResets,
  endUsers,
  usersOfEvents,
  usageByTier,
  sourcesOfEvents,
  usageByEndpoint,
  tenantProviders,
  storedResponses,
  webhooks,
  usageRollups,
  tenantPrices,
  budgets,
  budgetSpend,
]
