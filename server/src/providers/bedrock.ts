// Amazon Bedrock's address and credentials: every request is signed, with access keys or with those of an assumed role.

import { type AwsCredentials, signAwsRequest } from '../crypto/sign-aws-request.ts'
import { parseJson } from '../domain/json-object.ts'
import type { BedrockCredential } from './clouds/bedrock-credential.ts'
import { tenantOf } from './clouds/cloud-tools.ts'
import { assumeRole, awsDomain, stsAddress } from './clouds/web-identity.ts'
import type { AuthorisationTools, CallAdapter, UnauthorisedRequest } from './provider-adapter.ts'

export const bedrock: CallAdapter = {
  // A signature covers the path as it is sent: colons of model IDs are encoded, as AWS's own clients do.
  address: { version: null, encodesColons: true },
  placeOf(credential, baseUrlOverride) {
    const { region } = readCredential(credential)
    return { baseUrl: baseUrlOverride ?? `https://bedrock-runtime.${region}.${awsDomain(region)}` }
  },
  secretsOf(credential) {
    const { auth } = readCredential(credential)
    if (!('access_key_id' in auth)) return []
    const { access_key_id, secret_access_key, session_token } = auth
    return [access_key_id, secret_access_key, ...(session_token === null ? [] : [session_token])]
  },
  async authorise(credential, request, tools) {
    const { region } = readCredential(credential)
    return sign(request, await getAwsCredentials(credential, tools), region, 'bedrock', tools)
  },
  forget: (credential, tools) => tools.clouds.tokens.forget({ tenantId: tenantOf(tools), credential }),
  keyCheck: {
    // Bedrock itself has no free request; this one needs no permission.
    async requestOf(credential, tools) {
      const { region } = readCredential(credential)
      const { url, guard } = stsAddress(region, tools.clouds)
      const request = { method: 'GET', url: `${url}?Action=GetCallerIdentity&Version=2011-06-15`, body: null } as const
      const keys = await getAwsCredentials(credential, tools)
      return { url: request.url, guard, headers: sign(request, keys, region, 'sts', tools) }
    },
  },
}

/** Must be text that was checked when it was stored. */
function readCredential(text: string): BedrockCredential {
  return parseJson(text) as BedrockCredential
}

async function getAwsCredentials(credential: string, tools: AuthorisationTools): Promise<AwsCredentials> {
  const { region, auth } = readCredential(credential)
  if ('access_key_id' in auth) {
    const { access_key_id, secret_access_key, session_token } = auth
    return { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token }
  }
  const { outbound, clouds } = tools
  const tenantId = tenantOf(tools)
  const { role_arn: roleArn, web_identity_token_file: webIdentityTokenFile } = auth
  const role = { region, roleArn, webIdentityTokenFile }
  return await clouds.tokens.get({ tenantId, credential }, () => assumeRole(role, { outbound, clouds, tenantId }))
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
