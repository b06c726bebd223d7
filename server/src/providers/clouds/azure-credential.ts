// A tenant's configuration of Azure OpenAI: address, API version, and a key or an application of Microsoft Entra ID.

import { accept, type Checked, refuse } from '../../domain/checked.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { isGiven, readFields, secretRule } from './read-fields.ts'

export interface EntraApplication {
  tenant_id: string
  client_id: string
  client_secret: string
}

export interface AzureCredential {
  base_url: string
  api_version: string
  auth: { api_key: string } | EntraApplication
}

const apiVersion = { form: /^\d{4}-\d{2}-\d{2}(?:-preview)?$/, shape: 'a version of the API such as 2024-10-21' }
const directory = {
  form: /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/,
  shape: 'the id or a domain of a directory of Microsoft Entra ID',
}
const clientId = { form: /^[A-Za-z0-9-]{1,64}$/, shape: 'the id of an application' }

/** `baseUrl` has been checked. */
export function readAzureCredential(body: JsonObject, baseUrl: string): Checked<AzureCredential> {
  const version = readFields(body, { api_version: apiVersion })
  if (!version.ok) return version
  const isEntra = ['tenant_id', 'client_id', 'client_secret'].some(name => isGiven(body, name))
  if (isEntra === isGiven(body, 'api_key')) {
    return refuse('Either api_key or tenant_id, client_id and client_secret is required')
  }
  const auth = isEntra
    ? readFields(body, { tenant_id: directory, client_id: clientId, client_secret: secretRule })
    : readFields(body, { api_key: secretRule })
  return auth.ok ? accept({ base_url: baseUrl, ...version.value, auth: auth.value }) : auth
}
