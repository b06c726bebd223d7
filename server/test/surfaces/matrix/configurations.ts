// How each provider of the matrix is configured for a tenant, and the model that its project has. The models can do all
// that is asked.

import { generateKeyPairSync } from 'node:crypto'
import { providerCases } from '../../providers/provider-cases.ts'
import type { MatrixProvider } from './cells.ts'

export const matrixModels: Record<MatrixProvider, string> = {
  openai: 'openai/gpt-5',
  anthropic: 'anthropic/claude-sonnet-4-6',
  google: 'google/gemini-2.5-flash',
  openrouter: 'openrouter/anthropic/claude-sonnet-4.5',
  mistral: 'mistral/mistral-medium-2604',
  cohere: 'cohere/command-a-plus-05-2026',
  custom: 'custom-own/large',
  azure: 'azure/my-gpt',
  bedrock: 'bedrock/anthropic.claude-sonnet-4-6',
  vertex: 'vertex/gemini-2.5-flash',
}

export interface Configuration {
  /** Below the tenant's `providers`. */
  path: string
  body: object
}

export function configurationOf(provider: MatrixProvider, upstreamUrl: string): Configuration {
  const model = matrixModels[provider].slice(matrixModels[provider].indexOf('/') + 1)
  const models = [{ id: model }]
  switch (provider) {
    case 'custom':
      return {
        path: 'custom/own',
        body: {
          display_name: 'Own',
          base_url: `${upstreamUrl}/custom/v1`,
          models: [...models, { id: 'vectors', capabilities: { surfaces: ['embeddings'] } }],
        },
      }
    case 'azure':
      return {
        path: 'azure',
        body: {
          base_url: `${upstreamUrl}/azure`,
          api_version: '2024-10-21',
          deployments: models,
          api_key: 'azure-key-0123456789abcdef',
        },
      }
    case 'bedrock':
      return {
        path: 'bedrock',
        body: {
          region: 'eu-central-1',
          models,
          access_key_id: 'AKIAIOSFODNN7EXAMPLE',
          secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
          base_url_override: `${upstreamUrl}/bedrock`,
        },
      }
    case 'vertex':
      return {
        path: 'vertex',
        body: {
          location: 'europe-west4',
          models,
          service_account: serviceAccount(`${upstreamUrl}${tokenPath}`),
          base_url_override: `${upstreamUrl}/vertex`,
        },
      }
    default:
      return { path: provider, body: { api_key: providerCases.find(one => one.provider === provider)?.key } }
  }
}

/** Where the scripted Google issues tokens. */
export const tokenPath = '/vertex-token'

function serviceAccount(token_uri: string): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    type: 'service_account',
    project_id: 'my-project',
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: 'me@my-project.iam.gserviceaccount.com',
    token_uri,
  }
}
