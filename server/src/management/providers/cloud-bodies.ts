// The bodies that configure the clouds, as the OpenAPI document describes them. providers/clouds/ checks their fields.

import { z } from 'zod'
import type { Cloud } from '../../domain/provider.ts'
import { modelInput } from './tenant-model-fields.ts'

export type CloudBody = Record<string, unknown>

const text = (description: string) => ({ type: 'string', description })
const models = (description: string) => ({ type: 'array', minItems: 1, maxItems: 500, items: modelInput, description })
const override = { base_url_override: text('Base URL of a private endpoint, used instead; empty for none') }

function body(properties: Record<string, object>, required: readonly string[]) {
  return z.looseObject({}).meta({ properties: { ...properties, ...override }, required })
}

export const cloudBodies: Record<Cloud, z.ZodType<CloudBody>> = {
  azure: body(
    {
      base_url: text('The endpoint of the resource: https: and the name of the resource below openai.azure.com'),
      api_version: text('The version of the API, such as 2024-10-21'),
      deployments: models('The deployments; a model ID is azure/ and the id of one'),
      api_key: text('A key of the resource; or the three fields of an application'),
      tenant_id: text('The directory of the application in Microsoft Entra ID'),
      client_id: text('The id of the application'),
      client_secret: text('A secret of the application'),
    },
    ['base_url', 'api_version', 'deployments'],
  ),
  bedrock: body(
    {
      region: text('The region, such as us-east-1'),
      models: models('The models or inference profiles; a model ID is bedrock/ and the id of one'),
      access_key_id: text('The id of an access key; or a role'),
      secret_access_key: text('The access key'),
      session_token: text('The session of a temporary access key'),
      role_arn: text('A role that the server assumes with its web identity token'),
      web_identity_token_file: text('One of the files in WEB_IDENTITY_TOKEN_FILES of the server'),
    },
    ['region', 'models'],
  ),
  vertex: body(
    {
      service_account: {
        oneOf: [{ type: 'object' }, { type: 'string' }],
        description: 'The JSON key of a service account',
      },
      location: text('A region such as europe-west4, or global, us or eu'),
      models: models('The models of Google or Anthropic; a model ID is vertex/ and the id of one'),
    },
    ['service_account', 'location', 'models'],
  ),
}
