// Amazon Bedrock's address and credentials: every request is signed, with access keys or with those of an assumed role.

import { parseJson } from '../domain/json-object.ts'
import type { BedrockCredential } from './clouds/bedrock-credential.ts'
import { tenantOf } from './clouds/cloud-tools.ts'
import { type AwsCredentials, signAwsRequest } from './clouds/sign-aws-request.ts'
import { assumeRole, awsDomain, stsAddress } from './clouds/web-identity.ts'
import type { AuthorisationTools, CallAdapter, UnauthorisedRequest } from './provider-adapter.ts'

export const bedrock: CallAdapter = {
  // A signature covers the path as it is sent: colons of model IDs are encoded, as AWS's own clients do.
  address: { version: null, encodesColons: true },
  placeOf(credential, baseUrlOverride) {
    const { region } = readCredential(credential)
    return { baseUrl: baseUrlOverride ?? `https://bedrock-runtime.${region}.${awsDomain(region)}` }
  },
  authorise(credential, request, tools) {
    const { region } = readCredential(credential)
    return withAwsCredentials(credential, tools, keys => sign(request, keys, region, 'bedrock', tools))
  },
  forget: (credential, tools) => tools.clouds.tokens.forget({ tenantId: tenantOf(tools), credential }),
  keyCheck: {
    // Bedrock itself has no free request; this one needs no permission.
    async requestOf(credential, tools) {
      const { region } = readCredential(credential)
      const { url, guard } = stsAddress(region, tools.clouds)
      const request = { method: 'GET', url: `${url}?Action=GetCallerIdentity&Version=2011-06-15`, body: null } as const
      const headers = await withAwsCredentials(credential, tools, keys => sign(request, keys, region, 'sts', tools))
      return { url: request.url, guard, headers }
    },
  },
}

/** Must be text that was checked when it was stored. */
function readCredential(text: string): BedrockCredential {
  return parseJson(text) as BedrockCredential
}

function withAwsCredentials<T>(
  credential: string,
  tools: AuthorisationTools,
  use: (keys: AwsCredentials) => T,
): T | Promise<T> {
  const { region, auth } = readCredential(credential)
  if ('access_key_id' in auth) {
    const { access_key_id, secret_access_key, session_token } = auth
    return use({ accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token })
  }
  const { outbound, clouds } = tools
  const tenantId = tenantOf(tools)
  const { role_arn: roleArn, web_identity_token_file: webIdentityTokenFile } = auth
  const role = { region, roleArn, webIdentityTokenFile }
  const keys = clouds.tokens.get({ tenantId, credential }, () => assumeRole(role, { outbound, clouds, tenantId }))
  return keys instanceof Promise ? keys.then(use) : use(keys)
}

function sign(
  { method, url, body }: UnauthorisedRequest,
  keys: AwsCredentials,
  region: string,
  service: string,
  { now }: AuthorisationTools,
): Record<string, string> {
  const headers: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' }
  return signAwsRequest({ method, url, headers, body: body ?? '' }, keys, { region, service, now: now() })
}
