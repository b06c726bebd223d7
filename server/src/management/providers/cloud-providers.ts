// A tenant's configurations of Azure OpenAI, Amazon Bedrock and Vertex AI: checked with the cloud, then stored,
// encrypted and published as provider keys are. Must never let a secret reach a log, an error or a response.

import { z } from 'zod'
import { createConcurrencyGate } from '../../crypto/concurrency-gate.ts'
import { getChecked } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import { type JsonObject, parseJson } from '../../domain/json-object.ts'
import { type Cloud, keyLast4, providerDisplayName } from '../../domain/provider.ts'
import { type AzureCredential, readAzureCredential } from '../../providers/clouds/azure-credential.ts'
import { type BedrockCredential, readBedrockCredential } from '../../providers/clouds/bedrock-credential.ts'
import { readVertexCredential, type VertexCredential } from '../../providers/clouds/vertex-credential.ts'
import { checkKey } from '../../providers/models/check-key.ts'
import { parseTenantModels } from '../../providers/models/tenant-model-list.ts'
import { providerRegistry } from '../../providers/registry.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { getAllowedAddress } from '../plane/allowed-address.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { type CloudBody, cloudBodies } from './cloud-bodies.ts'
import { removeProvider, storeProvider } from './provider-key-rows.ts'
import { countProjectsUsing } from './provider-uses.ts'
import { checkModels, showModel, shownModelSchema } from './tenant-model-fields.ts'
import {
  minPutMs,
  refuseUnlessValid,
  showVerdict,
  takeValidation,
  validationTimeoutMs,
  verdictSchema,
} from './validate-provider.ts'

const common = { credential: 'session', owner: 'tenant' } as const

const shownSchema = z.object({
  configured: z.literal(true),
  provider_type: z.string(),
  key_last4: z.string(),
  key_set_at: z.string(),
  base_url_override: z.string().nullable(),
  configuration: z.record(z.string(), z.string()).meta({ description: 'What was configured, without the secrets' }),
  models: z.array(shownModelSchema),
  projects_using_count: z.int(),
})

export function cloudProviderRoutes(management: ManagementDependencies): Route[] {
  const atOnce = createConcurrencyGate({ concurrency: 50, queue: 200 })
  return (['azure', 'bedrock', 'vertex'] as const).flatMap(cloud => [
    getRoute(management, cloud),
    putRoute(management, cloud, atOnce),
    validateRoute(management, cloud),
    deleteRoute(management, cloud),
  ])
}

const readProvider = rowOf('provider_keys', { tenant_id: 'tenant', provider_type: 'target' })

const operationNames = { azure: 'Azure', bedrock: 'Bedrock', vertex: 'Vertex' } as const

function pathOf(cloud: Cloud): string {
  return `/auth/v1/tenants/:tenantId/providers/${cloud}`
}

function getRoute({ sql }: ManagementDependencies, cloud: Cloud): Route {
  return route({
    ...common,
    method: 'GET',
    path: pathOf(cloud),
    operation: `get${operationNames[cloud]}Provider`,
    permission: 'project:read',
    summary: `Get the configuration of ${providerDisplayName(cloud)}, without its secrets`,
    answers: { 200: shownSchema },
    refusals: ['no_provider_key'],
    async handle({ owned }) {
      return { status: 200, body: await getOne(sql, owned.tenant.id, cloud) }
    },
  })
}

function putRoute(
  management: ManagementDependencies,
  cloud: Cloud,
  atOnce: ReturnType<typeof createConcurrencyGate>,
): Route {
  return route({
    ...common,
    method: 'PUT',
    path: pathOf(cloud),
    operation: `set${operationNames[cloud]}Provider`,
    audit: { action: 'provider.put', targetId: cloud, read: readProvider },
    permission: 'providers:write',
    summary: `Configure ${providerDisplayName(cloud)} as a whole, after a check with it; live at once`,
    minMs: minPutMs,
    body: cloudBodies[cloud],
    answers: { 200: shownSchema },
    refusals: [
      'pro_required',
      'invalid_base_url',
      'validation_rate_limited',
      'key_validation_failed',
      'provider_unreachable',
      'busy',
    ],
    handle: input => atOnce(() => put(management, cloud, input)),
  })
}

function validateRoute(management: ManagementDependencies, cloud: Cloud): Route {
  return route({
    ...common,
    method: 'POST',
    path: `${pathOf(cloud)}/validate`,
    operation: `validate${operationNames[cloud]}Provider`,
    audit: null,
    permission: 'providers:write',
    summary: `Check a configuration of ${providerDisplayName(cloud)} with it, without storing it`,
    body: cloudBodies[cloud],
    answers: { 200: verdictSchema },
    refusals: ['invalid_base_url', 'validation_rate_limited'],
    async handle({ owned, body }) {
      const { verdict } = await checkConfiguration(management, cloud, { tenantId: owned.tenant.id, body })
      return { status: 200, body: showVerdict(verdict) }
    },
  })
}

function deleteRoute(management: ManagementDependencies, cloud: Cloud): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: pathOf(cloud),
    operation: `delete${operationNames[cloud]}Provider`,
    audit: { action: 'provider.delete', targetId: cloud, read: readProvider },
    permission: 'providers:write',
    summary: `Delete the configuration of ${providerDisplayName(cloud)}; its models disappear at once`,
    answers: { 204: null },
    refusals: ['no_provider_key'],
    async handle({ owned }) {
      await removeProvider(management, owned.tenant.id, cloud, { missing: 'no_provider_key' })
      return { status: 204 }
    },
  })
}

async function put(management: ManagementDependencies, cloud: Cloud, { owned, body }: RouteInput<CloudBody, unknown>) {
  const { id: tenantId, plan } = owned.tenant
  const { settings, sql } = management
  if (plan !== 'pro') throw new Refusal('pro_required', { upgradeUrl: settings.upgradeUrl })
  const { verdict, ...configured } = await checkConfiguration(management, cloud, { tenantId, body })
  refuseUnlessValid(verdict)
  await storeProvider(management, { tenantId, provider: cloud, ...configured })
  return { status: 200, body: await getOne(sql, tenantId, cloud) }
}

/** Reads a body, and asks the cloud whether it takes the credential. */
async function checkConfiguration(
  management: ManagementDependencies,
  cloud: Cloud,
  { tenantId, body }: { tenantId: string; body: CloudBody },
) {
  const { outbound, clouds, now } = management
  const { credential, last4, details } = await readers[cloud](management, body)
  const models = getChecked(checkModels(body[modelFields[cloud]], modelFields[cloud]))
  const baseUrlOverride = await getAllowedAddress(outbound, body['base_url_override'])
  await takeValidation(management, tenantId)
  const { adapter } = providerRegistry[cloud]
  const place = adapter.placeOf?.(credential, baseUrlOverride) ?? { baseUrl: '' }
  const offer = { adapter, ...place, credential, guard: 'tenant', tenantId, timeoutMs: validationTimeoutMs } as const
  const verdict = await checkKey({ outbound, now, clouds, ...offer })
  const configured = { displayName: providerDisplayName(cloud), details, models }
  return { verdict, credential, last4, baseUrlOverride, configured }
}

const modelFields = { azure: 'deployments', bedrock: 'models', vertex: 'models' } as const

interface Configuration {
  /** What the provider's adapter reads. */
  credential: string
  last4: string
  details: JsonObject
}

type Reader = (management: ManagementDependencies, body: CloudBody) => Promise<Configuration>

const readers: Record<Cloud, Reader> = {
  async azure({ outbound }, body) {
    const baseUrl = await getAllowedAddress(outbound, body['base_url'])
    if (baseUrl === null) throw new Refusal('validation_failed', { message: 'base_url is required' })
    return describeAzure(getChecked(readAzureCredential(body, baseUrl)))
  },
  async bedrock({ clouds }, body) {
    return describeBedrock(getChecked(readBedrockCredential(body, clouds)))
  },
  async vertex({ outbound }, body) {
    const credential: VertexCredential = getChecked(readVertexCredential(body))
    const { service_account: account, location } = credential
    if ((await getAllowedAddress(outbound, account.token_uri)) === null) throw new Refusal('invalid_base_url')
    const { project_id, client_email, private_key_id } = account
    const details = { location, project_id, client_email }
    return { credential: JSON.stringify(credential), last4: keyLast4(private_key_id), details }
  },
}

function describeAzure(credential: AzureCredential): Configuration {
  const { base_url, api_version, auth } = credential
  const place = { base_url, api_version }
  const isKey = 'api_key' in auth
  return {
    credential: JSON.stringify(credential),
    last4: keyLast4(isKey ? auth.api_key : auth.client_secret),
    details: isKey ? place : { ...place, tenant_id: auth.tenant_id, client_id: auth.client_id },
  }
}

function describeBedrock(credential: BedrockCredential): Configuration {
  const { region, auth } = credential
  const isKeys = 'access_key_id' in auth
  return {
    credential: JSON.stringify(credential),
    last4: keyLast4(isKeys ? auth.access_key_id : auth.role_arn),
    details: isKeys ? { region, access_key_id: `…${keyLast4(auth.access_key_id)}` } : { region, ...auth },
  }
}

type Database = ManagementDependencies['sql']

async function getOne(sql: Database, tenantId: string, cloud: Cloud): Promise<z.output<typeof shownSchema>> {
  const row = await sql
    .selectFrom('provider_keys')
    .select(['key_last4', 'key_set_at', 'base_url_override', 'details', 'models'])
    .where('tenant_id', '=', tenantId)
    .where('provider_type', '=', cloud)
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('no_provider_key')
  return {
    configured: true,
    provider_type: cloud,
    key_last4: row.key_last4,
    key_set_at: isoTime(row.key_set_at),
    base_url_override: row.base_url_override,
    configuration: parseJson(row.details ?? '{}') as Record<string, string>,
    models: parseTenantModels(row.models ?? '[]').map(model => showModel(cloud, model)),
    projects_using_count: (await countProjectsUsing(sql, tenantId))(cloud),
  }
}
