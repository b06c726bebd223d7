// Exchanges a web identity token, which the platform writes into a file, for temporary credentials of an AWS role.

import type { AwsCredentials } from '../../crypto/sign-aws-request.ts'
import { providerError } from '../../domain/conversation/provider-error.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { AuthorisationFailure } from '../provider-adapter.ts'
import type { CloudTools } from './cloud-tools.ts'
import { requestToken, unreadableToken } from './request-token.ts'
import type { ShortLived } from './token-cache.ts'

export interface AssumedRole {
  region: string
  roleArn: string
  /** One of the files that the operator allows: checked again here, because that list may have changed. */
  webIdentityTokenFile: string
}

interface Exchange {
  outbound: Pick<Outbound, 'send'>
  tenantId: string
  clouds: Pick<CloudTools, 'stsEndpoint' | 'webIdentityFiles' | 'readFile'>
}

const sessionSeconds = 3600

/** The region's own endpoint, and whether the operator chose another one. */
export function stsAddress(
  region: string,
  { stsEndpoint }: Pick<CloudTools, 'stsEndpoint'>,
): { url: string; guard: 'tenant' | 'operator' } {
  if (stsEndpoint !== null) return { url: new URL('/', stsEndpoint).href, guard: 'operator' }
  return { url: `https://sts.${region}.${awsDomain(region)}/`, guard: 'tenant' }
}

export function awsDomain(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
}

/**
 * The session is named after the tenant, so that a role can admit the session of one tenant only: all tenants present
 * the same token.
 */
export async function assumeRole(
  { region, roleArn, webIdentityTokenFile }: AssumedRole,
  { outbound, tenantId, clouds }: Exchange,
): Promise<ShortLived<AwsCredentials>> {
  const token = await readToken(webIdentityTokenFile, clouds)
  const form = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: tenantId,
    WebIdentityToken: token,
    DurationSeconds: String(sessionSeconds),
  }
  return readCredentials(await requestToken({ outbound, ...stsAddress(region, clouds), form, tenantId }))
}

async function readToken(path: string, { webIdentityFiles, readFile }: Exchange['clouds']): Promise<string> {
  if (!webIdentityFiles.has(path)) throw unreadableFile('token_file_not_allowed')
  try {
    return (await readFile(path)).trim()
  } catch (cause) {
    throw unreadableFile('token_file_not_readable', cause)
  }
}

/** The client is told that the credential was refused; the log has the code. */
function unreadableFile(code: string, cause?: unknown): AuthorisationFailure {
  return new AuthorisationFailure(providerError('auth', { code }), { cause })
}

function readCredentials(xml: string): ShortLived<AwsCredentials> {
  const textOf = (name: string): string => {
    const value = new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1]?.trim()
    if (value === undefined || !/^[\x21-\x7e]+$/.test(value)) throw unreadableToken()
    return value
  }
  const expiresAt = Date.parse(textOf('Expiration'))
  if (Number.isNaN(expiresAt)) throw unreadableToken()
  return {
    value: {
      accessKeyId: textOf('AccessKeyId'),
      secretAccessKey: textOf('SecretAccessKey'),
      sessionToken: textOf('SessionToken'),
    },
    expiresAt,
  }
}
