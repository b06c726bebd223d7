// The management plane, put together: every resource's routes in one list. A new resource is one file and one line here.

import type { PublicJwk } from '../crypto/signing-key.ts'
import type { RuntimePlane } from '../http/accept-request.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { createAuthorise } from './authorise.ts'
import { deploymentRoutes } from './deployments.ts'
import type { Management } from './deps.ts'
import { createExternalSessionFinder } from './external-sessions.ts'
import { guardrailEventRoutes } from './guardrail-events.ts'
import { createIdempotency } from './idempotency.ts'
import { identityProviderRoutes } from './identity-provider.ts'
import { invitationRoutes } from './invitations.ts'
import { keySetRoutes } from './key-set-document.ts'
import { killSwitchRoutes } from './kill-switches.ts'
import { memberRoutes } from './members.ts'
import { mintRoutes } from './mint.ts'
import { createApiKeyFinder } from './mint-credential.ts'
import { modelSelectionRoutes } from './model-selection.ts'
import { openApiRoutes } from './openapi.ts'
import { createManagementPlane } from './plane.ts'
import { planRoutes } from './plans.ts'
import { playgroundRoutes } from './playground.ts'
import { projectRoutes } from './projects.ts'
import { providerCatalogRoutes } from './provider-catalog.ts'
import { providerKeyRoutes } from './provider-keys.ts'
import type { Route } from './route.ts'
import { createLogin, sessionRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { tenantModelRoutes } from './tenant-models.ts'
import { tenantRoutes } from './tenants.ts'
import { tierRoutes } from './tiers.ts'
import { usageRoutes } from './usage.ts'

export async function createManagement(
  management: Management,
  previousKeys: readonly PublicJwk[],
): Promise<RuntimePlane> {
  const findExternalSession = createExternalSessionFinder(management, management.settings.sessionIssuer)
  const routes = listRoutes(management, previousKeys)
  return await createManagementPlane({
    routes,
    authorise: createAuthorise(management, findExternalSession, createApiKeyFinder(management)),
    idempotency: createIdempotency(management),
    dashboardOrigin: management.settings.dashboardOrigin,
    log: management.log,
  })
}

export function listRoutes(management: Management, previousKeys: readonly PublicJwk[]): Route[] {
  const login = createLogin(management)
  const routes: Route[] = [
    ...sessionRoutes(management, login),
    ...tenantRoutes(management),
    ...memberRoutes(management),
    ...invitationRoutes(management, login),
    ...projectRoutes(management),
    ...apiKeyRoutes(management),
    ...mintRoutes(management),
    ...settingsRoutes(management),
    ...deploymentRoutes(management),
    ...modelSelectionRoutes(management),
    ...tierRoutes(management),
    ...providerKeyRoutes(management),
    ...tenantModelRoutes(management),
    ...providerCatalogRoutes(management),
    ...identityProviderRoutes(management),
    ...playgroundRoutes(management),
    ...guardrailEventRoutes(management),
    ...usageRoutes(management),
    ...killSwitchRoutes(management),
    ...planRoutes(management),
    ...keySetRoutes(management, previousKeys),
  ]
  routes.push(...openApiRoutes(() => routes, management.settings))
  return routes
}
