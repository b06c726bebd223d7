// Creates the management plane from the routes of all resources. A new resource is one file and one line here.

import type { PublicJwk } from '../crypto/keys/signing-key.ts'
import type { RuntimeRequestHandler } from '../http/front/accept-request.ts'
import type { ApiDocuments } from '../http/openapi-types.ts'
import { anonymousRoutes } from './anonymous/anonymous.ts'
import { attestationSecretRoutes } from './anonymous/attestation-secrets.ts'
import { createAttestations } from './anonymous/attestations.ts'
import { auditRoutes } from './audit/audit.ts'
import { lastChangesRoute } from './audit/last-changes.ts'
import type { ManagementDependencies } from './dependencies.ts'
import { ownFactorRoutes } from './factors/own-factors.ts'
import { passkeyRoutes } from './factors/passkeys.ts'
import { reauthenticationRoutes } from './factors/reauthenticate.ts'
import { strongSignInRoutes } from './factors/strong-sign-in.ts'
import { meterRoutes } from './meters/meters.ts'
import { createOperatorFinder } from './operations/find-operator.ts'
import { installationRoutes } from './operations/installation.ts'
import { installationHealthRoutes } from './operations/installation-health.ts'
import { keySetRoutes } from './operations/key-set-document.ts'
import { killSwitchRoutes } from './operations/kill-switches.ts'
import { operatorCredentialRoutes } from './operations/operator-credentials.ts'
import { operatorRoutes } from './operations/operators.ts'
import { planRoutes } from './operations/plans.ts'
import { operatorProjectRoutes } from './operations/projects.ts'
import { operatorTenantRoutes } from './operations/tenants.ts'
import { deleteTenantRoutes } from './people/delete-tenant.ts'
import { deviceApprovalRoutes } from './people/device-approvals.ts'
import { deviceSignInRoutes } from './people/device-sign-in.ts'
import { exportRoutes } from './people/export-tenant.ts'
import { createExternalSessionFinder } from './people/external-sessions.ts'
import { invitationRoutes } from './people/invitations.ts'
import { memberRoutes } from './people/members.ts'
import { ownSessionRoutes } from './people/own-sessions.ts'
import { passwordRoutes } from './people/passwords.ts'
import { createPasswordProof } from './people/prove-password.ts'
import { roleRoutes } from './people/roles.ts'
import { createServiceAccountFinder } from './people/service-account-caller.ts'
import { serviceAccountRoutes } from './people/service-accounts.ts'
import { sessionRoutes } from './people/sessions.ts'
import { tenantForOwnerRoutes } from './people/tenant-for-owner.ts'
import { tenantRoutes } from './people/tenants.ts'
import { createActs } from './plane/acts/perform-act.ts'
import { createAuthorise } from './plane/authorise.ts'
import { createIdempotency } from './plane/idempotency.ts'
import { createApiKeyFinder } from './plane/mint-credential.ts'
import { createApiDocuments, type DescribeDataPlane, openApiRoutes } from './plane/openapi.ts'
import { createManagementPlane } from './plane/plane.ts'
import type { Route } from './plane/route.ts'
import { activityRoutes } from './projects/activity.ts'
import { apiKeyRoutes } from './projects/api-keys.ts'
import { budgetRoutes } from './projects/budgets.ts'
import { diagnosticRoutes } from './projects/diagnostics.ts'
import { endUserRoutes } from './projects/end-users.ts'
import { usageExportRoutes } from './projects/export-usage.ts'
import { guardrailEventRoutes } from './projects/guardrail-events.ts'
import { guardrailReportRoutes } from './projects/guardrail-report.ts'
import { identityProviderRoutes } from './projects/identity-provider.ts'
import { tokenInspectionRoutes } from './projects/mint/inspect-token.ts'
import { mintRoutes } from './projects/mint/mint.ts'
import { ownTokenRoutes } from './projects/mint/own-tokens.ts'
import { playgroundRoutes } from './projects/playground.ts'
import { projectStatusRoutes } from './projects/project-status.ts'
import { projectRoutes } from './projects/projects.ts'
import { provisioningRoutes } from './projects/provisioning.ts'
import { releaseProjectRoute } from './projects/release-project.ts'
import { endUserRestrictionRoutes } from './projects/restrict-end-users.ts'
import { tenantEventRoutes } from './projects/tenant-events.ts'
import { guardrailTryRoutes } from './projects/try-guardrails.ts'
import { usageRoutes } from './projects/usage.ts'
import { usageRollupRoutes } from './projects/usage-rollups.ts'
import { cloudProviderRoutes } from './providers/cloud-providers.ts'
import { customProviderRoutes } from './providers/custom-providers.ts'
import { providerCatalogRoutes } from './providers/provider-catalog.ts'
import { providerKeyRoutes } from './providers/provider-keys.ts'
import { tenantModelRoutes } from './providers/tenant-models.ts'
import { tenantPriceRoutes } from './providers/tenant-prices.ts'
import { requestLogRoutes } from './requests/request-log-routes.ts'
import { deploymentRoutes } from './settings/deployments.ts'
import { draftRoutes } from './settings/draft.ts'
import { fileLeaseRoute } from './settings/file-lease.ts'
import { modelSelectionRoutes } from './settings/model-selection.ts'
import { projectSchemaRoutes } from './settings/project-schema.ts'
import { promptRoutes } from './settings/prompts.ts'
import { settingsRoutes } from './settings/settings.ts'
import { settingsChangesRoutes } from './settings/settings-changes.ts'
import { tierRoutes } from './settings/tiers.ts'
import { ssoRoutes } from './sso/sso-routes.ts'
import { webhookDeliveryRoutes } from './webhooks/webhook-deliveries.ts'
import { webhookRoutes } from './webhooks/webhooks.ts'

export interface ManagementApi {
  handle: RuntimeRequestHandler
  documents: ApiDocuments
}

export async function createManagement(
  management: ManagementDependencies,
  previousKeys: readonly PublicJwk[],
  describeDataPlane: DescribeDataPlane,
): Promise<ManagementApi> {
  const { routes, documents } = listRoutes(management, previousKeys, describeDataPlane)
  const handle = await createManagementPlane({
    routes,
    authorise: createAuthorise(management, {
      findExternalSession: createExternalSessionFinder(management, management.settings.sessionIssuer),
      findServiceAccount: createServiceAccountFinder(management),
      findApiKey: createApiKeyFinder(management),
      operators: createOperatorFinder(management),
    }),
    idempotency: createIdempotency(management),
    acts: createActs(management),
    dashboardOrigin: management.settings.dashboardOrigin,
    log: management.log,
  })
  return { handle, documents }
}

export function listRoutes(
  management: ManagementDependencies,
  previousKeys: readonly PublicJwk[],
  describeDataPlane: DescribeDataPlane,
): { routes: Route[]; documents: ApiDocuments } {
  const attestations = createAttestations({ ...management, ...management.anonymous })
  const routes: Route[] = [
    ...peopleRoutes(management),
    ...projectRoutes(management),
    ...projectStatusRoutes(management),
    releaseProjectRoute(management),
    ...provisioningRoutes(management),
    ...apiKeyRoutes(management),
    ...mintRoutes(management),
    ...anonymousRoutes(management, attestations),
    ...attestationSecretRoutes(management, attestations),
    ...ownTokenRoutes(management),
    ...configurationRoutes(management),
    ...identityProviderRoutes(management),
    ...playgroundRoutes(management),
    ...guardrailEventRoutes(management),
    ...guardrailReportRoutes(management),
    ...tenantEventRoutes(management),
    ...budgetRoutes(management),
    ...meterRoutes(management),
    ...webhookRoutes(management),
    ...webhookDeliveryRoutes(management),
    ...guardrailTryRoutes(management),
    ...requestLogRoutes(management),
    ...usageRoutes(management),
    ...usageExportRoutes(management),
    ...usageRollupRoutes(management),
    ...endUserRoutes(management),
    ...diagnosticRoutes(management),
    ...activityRoutes(management),
    ...tokenInspectionRoutes(management, previousKeys),
    ...endUserRestrictionRoutes(management),
    ...operationRoutes(management),
    ...auditRoutes(management),
    lastChangesRoute(management),
    ...keySetRoutes(management, previousKeys),
  ]
  const documents = createApiDocuments(() => routes, management.settings, describeDataPlane)
  routes.push(...openApiRoutes(documents))
  return { routes, documents }
}

/** Of accounts, tenants, and who may do what in them. */
function peopleRoutes(management: ManagementDependencies): Route[] {
  const provePassword = createPasswordProof(management)
  return [
    ...sessionRoutes(management, provePassword),
    ...strongSignInRoutes(management),
    ...reauthenticationRoutes(management, provePassword),
    ...ownSessionRoutes(management),
    ...deviceSignInRoutes(management),
    ...deviceApprovalRoutes(management),
    ...passkeyRoutes(management),
    ...ownFactorRoutes(management),
    ...passwordRoutes(management, provePassword),
    ...tenantRoutes(management),
    ...deleteTenantRoutes(management),
    ...exportRoutes(management),
    ...memberRoutes(management),
    ...roleRoutes(management),
    ...serviceAccountRoutes(management),
    ...invitationRoutes(management, provePassword),
    ...ssoRoutes(management),
  ]
}

/** The settings of a project, and the providers and models that they name. */
function configurationRoutes(management: ManagementDependencies): Route[] {
  return [
    ...settingsRoutes(management),
    ...settingsChangesRoutes(management),
    ...draftRoutes(management),
    fileLeaseRoute(management),
    ...projectSchemaRoutes(management),
    ...deploymentRoutes(management),
    ...modelSelectionRoutes(management),
    ...tierRoutes(management),
    ...promptRoutes(management),
    ...providerKeyRoutes(management),
    ...cloudProviderRoutes(management),
    ...customProviderRoutes(management),
    ...tenantModelRoutes(management),
    ...tenantPriceRoutes(management),
    ...providerCatalogRoutes(management),
  ]
}

/** The operator's, and what people need to know of the installation. */
function operationRoutes(management: ManagementDependencies): Route[] {
  return [
    ...killSwitchRoutes(management),
    ...installationRoutes(management),
    ...installationHealthRoutes(management),
    ...planRoutes(management),
    ...operatorCredentialRoutes(management),
    ...operatorRoutes(management),
    ...operatorProjectRoutes(management),
    ...operatorTenantRoutes(management),
    ...tenantForOwnerRoutes(management),
  ]
}
