// Signs a request by Signature Version 4 of AWS. Must not log or throw anything of the credentials.

import { createHash, createHmac } from 'node:crypto'

export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | null
}

export interface UnsignedRequest {
  method: string
  /** As it is sent. */
  url: string
  /** All of them are signed; `host` is added. */
  headers: Record<string, string>
  body: string | Uint8Array
}

export interface SigningScope {
  region: string
  service: string
  /** Epoch ms; AWS rejects a signature that is more than five minutes off. */
  now: number
}

const algorithm = 'AWS4-HMAC-SHA256'

/** Returns the headers that the signature adds to the request. */
export function signAwsRequest(
  { method, url: address, headers, body }: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, now }: SigningScope,
): Record<string, string> {
  const url = new URL(address)
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const added = {
    'x-amz-date': time,
    ...(sessionToken === null ? {} : { 'x-amz-security-token': sessionToken }),
  }
  const signed = canonicalHeaders({ ...headers, host: url.host, ...added })
  const names = signed.map(([name]) => name).join(';')
  const canonicalRequest = [
    method,
    canonicalPath(url),
    canonicalQuery(url),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    hexDigest(body),
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = [algorithm, time, scope, hexDigest(canonicalRequest)].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const signature = hmac(key, text).toString('hex')
  const authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { ...added, authorization }
}

function canonicalHeaders(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replaceAll(/ +/g, ' ')])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The path as it is sent, encoded once more: AWS requires that of all services except S3. */
function canonicalPath({ pathname }: URL): string {
  return `/${pathname.split('/').filter(Boolean).map(encode).join('/')}${/.\/$/.test(pathname) ? '/' : ''}`
}

function canonicalQuery({ searchParams }: URL): string {
  const pairs = [...searchParams].map(([name, value]) => [encode(name), encode(value)] as const)
  pairs.sort(([a, first], [b, second]) => (a === b ? compare(first, second) : compare(a, b)))
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** encodeURIComponent leaves these five characters, which AWS encodes. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function hexDigest(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
