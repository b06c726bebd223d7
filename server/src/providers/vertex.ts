// Vertex AI's addresses, and the access tokens of service accounts.

import { parseJson } from '../domain/json-object.ts'
import { tenantOf } from './clouds/cloud-tools.ts'
import { readAccessToken, requestToken } from './clouds/request-token.ts'
import { assertionForm, type ServiceAccount } from './clouds/service-account.ts'
import type { VertexCredential } from './clouds/vertex-credential.ts'
import { type AuthorisationTools, bearer, type CallAdapter } from './provider-adapter.ts'

export const vertex: CallAdapter = {
  address: { version: null },
  placeOf(credential, baseUrlOverride) {
    const { location, service_account: account } = readCredential(credential)
    const base = baseUrlOverride?.replace(/\/+$/, '').replace(/\/v1$/, '') ?? `https://${hostOf(location)}`
    return { baseUrl: `${base}/v1/projects/${account.project_id}/locations/${location}` }
  },
  secretsOf(credential) {
    const { private_key, private_key_id } = readCredential(credential).service_account
    // Line by line, since the ends of the lines have many forms.
    const lines = private_key.split(/\s*[\r\n]+/).filter(line => !line.startsWith('-----'))
    return [private_key_id, ...lines]
  },
  async authorise(credential, _request, tools) {
    const { service_account: account } = readCredential(credential)
    const owner = { tenantId: tenantOf(tools), credential }
    return bearer(await tools.clouds.tokens.get(owner, () => fetchToken(account, tools)))
  },
  forget: (credential, tools) => tools.clouds.tokens.forget({ tenantId: tenantOf(tools), credential }),
  // The exchange of the key for a token is the check.
  keyCheck: null,
}

/** Must be text that was checked when it was stored. */
function readCredential(text: string): VertexCredential {
  return parseJson(text) as VertexCredential
}

function hostOf(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com'
  // These two are not regions but groups of them.
  if (location === 'us' || location === 'eu') return `aiplatform.${location}.rep.googleapis.com`
  return `${location}-aiplatform.googleapis.com`
}

async function fetchToken(account: ServiceAccount, tools: AuthorisationTools) {
  const { outbound, now } = tools
  const request = { url: account.token_uri, form: assertionForm(account, now()), guard: 'tenant' } as const
  return readAccessToken(await requestToken({ outbound, ...request, tenantId: tenantOf(tools) }), now())
}
