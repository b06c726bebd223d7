// Signs a request for an AWS API (Signature Version 4).
import { createHash, createHmac } from 'node:crypto'

export interface AwsSigner {
  accessKeyId: string
  secretAccessKey: string
  region: string
  service: string
}

interface UnsignedRequest {
  method: string
  url: URL
  body: string
  now: number
}

/** Returns the headers of the signed request except Host, which is signed as in the URL and set by the HTTP client. */
export function signAwsRequest(signer: AwsSigner, { method, url, body, now }: UnsignedRequest): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const scope = `${time.slice(0, 8)}/${signer.region}/${signer.service}/aws4_request`
  const canonical = [
    method,
    canonicalPath(url),
    canonicalQuery(url),
    `host:${url.host}`,
    `x-amz-date:${time}`,
    '',
    'host;x-amz-date',
    sha256(body),
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [time.slice(0, 8), signer.region, signer.service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${signer.secretAccessKey}`,
  )
  const signature = hmac(key, toSign).toString('hex')
  return {
    'x-amz-date': time,
    authorization: `AWS4-HMAC-SHA256 Credential=${signer.accessKeyId}/${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  }
}

/** Each segment is encoded once more than in the request. */
function canonicalPath(url: URL): string {
  return url.pathname.split('/').map(encode).join('/')
}

function canonicalQuery(url: URL): string {
  const pairs = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`)
  return pairs.sort().join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
