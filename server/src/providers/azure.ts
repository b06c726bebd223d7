// Azure OpenAI's address and credentials: a key, or a token of Microsoft Entra ID.

import { parseJson } from '../domain/json-object.ts'
import type { AzureCredential, EntraApplication } from './clouds/azure-credential.ts'
import { tenantOf } from './clouds/cloud-tools.ts'
import { readAccessToken, requestToken } from './clouds/request-token.ts'
import { type AuthorisationTools, bearer, type CallAdapter } from './provider-adapter.ts'

const scope = 'https://cognitiveservices.azure.com/.default'

export const azure: CallAdapter = {
  address: { version: null },
  placeOf(credential, baseUrlOverride) {
    const { base_url, api_version } = readCredential(credential)
    const base = (baseUrlOverride ?? base_url).replace(/\/+$/, '').replace(/\/openai$/, '')
    return { baseUrl: `${base}/openai`, query: { 'api-version': api_version } }
  },
  secretsOf(credential) {
    const { auth } = readCredential(credential)
    return ['api_key' in auth ? auth.api_key : auth.client_secret]
  },
  async authorise(credential, _request, tools) {
    const { auth } = readCredential(credential)
    if ('api_key' in auth) return { 'api-key': auth.api_key }
    const owner = { tenantId: tenantOf(tools), credential }
    return bearer(await tools.clouds.tokens.get(owner, () => fetchToken(auth, tools)))
  },
  forget: (credential, tools) => tools.clouds.tokens.forget({ tenantId: tenantOf(tools), credential }),
  keyCheck: { path: ['models'] },
}

/** Must be text that was checked when it was stored. */
function readCredential(text: string): AzureCredential {
  return parseJson(text) as AzureCredential
}

async function fetchToken(application: EntraApplication, tools: AuthorisationTools) {
  const { outbound, clouds, now } = tools
  const { tenant_id, client_id, client_secret } = application
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope }
  const url = `${clouds.azureAuthority.replace(/\/+$/, '')}/${tenant_id}/oauth2/v2.0/token`
  return readAccessToken(
    await requestToken({ outbound, url, form, guard: 'operator', tenantId: tenantOf(tools) }),
    now(),
  )
}
