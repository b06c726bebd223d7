// The clouds that a tenant configures as a whole: the fields of each, and the requests that check, store and read them.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { readTexts } from '../../api/search-text.ts'
import type { FormValues } from '../../ui/form.tsx'
import type { ModelInput } from './queries.ts'

export interface CloudField {
  name: string
  label: string
  hint?: string
  /** Never shown again; `text` is a secret of several lines. */
  secret?: 'line' | 'text'
  isOptional?: boolean
}

interface Credential {
  id: string
  name: string
  fields: CloudField[]
}

interface CloudDescription {
  name: string
  /** What the cloud calls a model. */
  noun: string
  /** Where the API expects them. */
  modelsField: 'models' | 'deployments'
  fields: CloudField[]
  /** One of them is given. */
  credentials: [Credential, ...Credential[]]
  /** Asks the cloud whether it takes the credential, without storing anything. */
  check: (tenantId: string, values: FormValues, models: ModelInput[]) => Promise<Verdict>
  store: (tenantId: string, values: FormValues, models: ModelInput[]) => Promise<unknown>
}

type Verdict = ManagementRoutes['POST /auth/v1/tenants/{tenantId}/providers/azure/validate']['output']

const override: CloudField = {
  name: 'base_url_override',
  label: 'Other address (optional)',
  hint: 'The base URL of a private endpoint, used instead of the cloud’s own.',
  isOptional: true,
}

function azureBody(values: FormValues, deployments: ModelInput[]) {
  const { base_url = '', api_version = '' } = values
  const optional = readTexts(values, ['api_key', 'tenant_id', 'client_id', 'client_secret', 'base_url_override'])
  return { base_url, api_version, deployments, ...optional }
}

const azure: CloudDescription = {
  name: 'Azure OpenAI',
  noun: 'deployment',
  modelsField: 'deployments',
  fields: [
    { name: 'base_url', label: 'Endpoint', hint: 'Of the resource, such as https://my-resource.openai.azure.com' },
    { name: 'api_version', label: 'API version', hint: 'Such as 2024-10-21' },
    override,
  ],
  credentials: [
    { id: 'key', name: 'Resource key', fields: [{ name: 'api_key', label: 'Key', secret: 'line' }] },
    {
      id: 'application',
      name: 'An application of Microsoft Entra ID',
      fields: [
        { name: 'tenant_id', label: 'Directory (tenant) ID' },
        { name: 'client_id', label: 'Application (client) ID' },
        { name: 'client_secret', label: 'Client secret', secret: 'line' },
      ],
    },
  ],
  check: (tenantId, values, models) =>
    request('POST', '/auth/v1/tenants/{tenantId}/providers/azure/validate', {
      path: { tenantId },
      body: azureBody(values, models),
    }),
  store: (tenantId, values, models) =>
    request('PUT', '/auth/v1/tenants/{tenantId}/providers/azure', {
      path: { tenantId },
      body: azureBody(values, models),
    }),
}

function bedrockBody(values: FormValues, models: ModelInput[]) {
  const keys = readTexts(values, ['access_key_id', 'secret_access_key', 'session_token'])
  const others = readTexts(values, ['role_arn', 'web_identity_token_file', 'base_url_override'])
  return { region: values['region'] ?? '', models, ...keys, ...others }
}

const bedrock: CloudDescription = {
  name: 'Amazon Bedrock',
  noun: 'model',
  modelsField: 'models',
  fields: [{ name: 'region', label: 'Region', hint: 'Such as eu-central-1' }, override],
  credentials: [
    {
      id: 'key',
      name: 'An access key',
      fields: [
        { name: 'access_key_id', label: 'Access key ID' },
        { name: 'secret_access_key', label: 'Secret access key', secret: 'line' },
        {
          name: 'session_token',
          label: 'Session token (optional)',
          hint: 'Only for a temporary access key.',
          secret: 'line',
          isOptional: true,
        },
      ],
    },
    {
      id: 'role',
      name: 'A role with a web identity token',
      fields: [
        { name: 'role_arn', label: 'ARN of the role' },
        {
          name: 'web_identity_token_file',
          label: 'File of the token',
          hint: 'One of the files in WEB_IDENTITY_TOKEN_FILES, which the operator lists.',
        },
      ],
    },
  ],
  check: (tenantId, values, models) =>
    request('POST', '/auth/v1/tenants/{tenantId}/providers/bedrock/validate', {
      path: { tenantId },
      body: bedrockBody(values, models),
    }),
  store: (tenantId, values, models) =>
    request('PUT', '/auth/v1/tenants/{tenantId}/providers/bedrock', {
      path: { tenantId },
      body: bedrockBody(values, models),
    }),
}

function vertexBody(values: FormValues, models: ModelInput[]) {
  const { service_account = '', location = '' } = values
  return { service_account, location, models, ...readTexts(values, ['base_url_override']) }
}

const vertex: CloudDescription = {
  name: 'Vertex AI',
  noun: 'model',
  modelsField: 'models',
  fields: [
    { name: 'location', label: 'Location', hint: 'A region such as europe-west4, or global, us or eu' },
    override,
  ],
  credentials: [
    {
      id: 'account',
      name: 'A service account',
      fields: [{ name: 'service_account', label: 'JSON key of the service account', secret: 'text' }],
    },
  ],
  check: (tenantId, values, models) =>
    request('POST', '/auth/v1/tenants/{tenantId}/providers/vertex/validate', {
      path: { tenantId },
      body: vertexBody(values, models),
    }),
  store: (tenantId, values, models) =>
    request('PUT', '/auth/v1/tenants/{tenantId}/providers/vertex', {
      path: { tenantId },
      body: vertexBody(values, models),
    }),
}

export const clouds = { azure, bedrock, vertex } as const satisfies Record<string, CloudDescription>
export type Cloud = keyof typeof clouds
export const cloudSlugs = Object.keys(clouds) as Cloud[]

export function isCloud(slug: string): slug is Cloud {
  return Object.hasOwn(clouds, slug)
}

export type CloudConfiguration = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/providers/azure']['output']

/** Only of a configured cloud, which the list of keys names. */
export const cloudQuery = (tenantId: string, cloud: Cloud) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'clouds', cloud],
    queryFn: (): Promise<CloudConfiguration> =>
      request('GET', `/auth/v1/tenants/{tenantId}/providers/${cloud}`, { path: { tenantId } }),
  })
