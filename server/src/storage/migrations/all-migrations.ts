// Every step of the schema, oldest first. A new one is a file here and a line in the list.
import type { Migration } from '../migrate.ts'
import { accountsAndProjects } from './0001-0019/0001-accounts-and-projects.ts'
import { catalogAndOperations } from './0001-0019/0002-catalog-and-operations.ts'
import { endedSessions } from './0001-0019/0003-ended-sessions.ts'
import { conversationsAndUsage } from './0001-0019/0004-conversations-and-usage.ts'
import { guardrailEvents } from './0001-0019/0005-guardrail-events.ts'
import { dnsJobs } from './0001-0019/0006-dns-jobs.ts'
import { dnsTargets } from './0001-0019/0007-dns-targets.ts'
import { tierOrder } from './0001-0019/0008-tier-order.ts'
import { addedSettings } from './0001-0019/0009-added-settings.ts'
import { deletions } from './0001-0019/0010-deletions.ts'
import { sessionsAndResets } from './0001-0019/0011-sessions-and-resets.ts'
import { endUsers } from './0001-0019/0014-end-users.ts'
import { usersOfEvents } from './0001-0019/0015-users-of-events.ts'
import { usageByTier } from './0001-0019/0016-usage-by-tier.ts'
import { sourcesOfEvents } from './0001-0019/0017-sources-of-events.ts'
import { usageByEndpoint } from './0001-0019/0018-usage-by-endpoint.ts'
import { tenantProviders } from './0001-0019/0019-tenant-providers.ts'
import { storedResponses } from './0020-0039/0020-stored-responses.ts'
import { webhooks } from './0020-0039/0021-webhooks.ts'
import { usageRollups } from './0020-0039/0022-usage-rollups.ts'
import { tenantPrices } from './0020-0039/0025-tenant-prices.ts'
import { budgets } from './0020-0039/0027-budgets.ts'
import { budgetSpend } from './0020-0039/0028-budget-spend.ts'
import { usageByProject } from './0020-0039/0029-usage-by-project.ts'
import { accountOrigins } from './0020-0039/0031-account-origins.ts'
import { apiKeyFacts } from './0020-0039/0032-api-key-facts.ts'
import { roles } from './0020-0039/0033-roles.ts'
import { serviceAccounts } from './0020-0039/0034-service-accounts.ts'
import { operators } from './0020-0039/0035-operators.ts'
import { platformSpend } from './0020-0039/0036-platform-spend.ts'
import { uidsOfEvents } from './0020-0039/0037-uids-of-events.ts'
import { audit } from './0020-0039/0038-audit.ts'
import { requestAlerts } from './0020-0039/0039-request-alerts.ts'
import { authentications } from './0040-0059/0040-authentications.ts'
import { prompts } from './0040-0059/0041-prompts.ts'
import { attestationSecrets } from './0040-0059/0042-attestation-secrets.ts'
import { deviceRequests } from './0040-0059/0043-device-requests.ts'
import { secondFactors } from './0040-0059/0044-second-factors.ts'
import { scoresOfEvents } from './0040-0059/0045-scores-of-events.ts'
import { promptsOfRequests } from './0040-0059/0047-prompts-of-requests.ts'
import { singleSignOn } from './0040-0059/0048-single-sign-on.ts'
import { firstTokensOfRequests } from './0040-0059/0049-first-tokens-of-requests.ts'
import { targetsOfAudit } from './0040-0059/0050-targets-of-audit.ts'
import { managedProjects } from './0040-0059/0051-managed-projects.ts'
import { meters } from './0040-0059/0052-meters.ts'
import { webhooksOfProjects } from './0040-0059/0053-webhooks-of-projects.ts'
import { agentsOfRequests } from './0040-0059/0054-agents-of-requests.ts'
import { budgetsOfRequests } from './0040-0059/0055-budgets-of-requests.ts'
import { hoursOfRequests } from './0040-0059/0056-hours-of-requests.ts'
import { replacedKeysAndRollbacks } from './0040-0059/0057-replaced-keys-and-rollbacks.ts'

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
  usageByProject,
  accountOrigins,
  apiKeyFacts,
  roles,
  serviceAccounts,
  operators,
  platformSpend,
  uidsOfEvents,
  audit,
  requestAlerts,
  authentications,
  prompts,
  attestationSecrets,
  deviceRequests,
  secondFactors,
  scoresOfEvents,
  promptsOfRequests,
  singleSignOn,
  firstTokensOfRequests,
  targetsOfAudit,
  managedProjects,
  meters,
  webhooksOfProjects,
  agentsOfRequests,
  budgetsOfRequests,
  hoursOfRequests,
  replacedKeysAndRollbacks,
]
