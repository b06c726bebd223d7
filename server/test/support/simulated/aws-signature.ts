// Computes which signature a request to AWS has to carry, from the request as it arrived; apart from the product's own
// code, by the published algorithm.
import { createHash, createHmac } from 'node:crypto'
import type { UpstreamRequest } from './scripted-upstream.ts'

export interface SignatureCheck {
  isValid: boolean
  accessKeyId: string
  region: string
  service: string
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Encodes a path that arrived encoded once more. Knows no query with one of the characters `!'()*`. */
export function checkSignature(request: UpstreamRequest, secretAccessKey: string): SignatureCheck {
  const { method, path, query, headers, body } = request
  const [, accessKeyId = '', date = '', region = '', service = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/.exec(
      String(headers.authorization),
    ) ?? []
  const time = String(headers['x-amz-date'])
  const sentAt = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  const canonical = [
    method,
    path.split('/').map(encodeURIComponent).join('/'),
    Object.keys(query)
      .sort()
      .map(name => `${encodeURIComponent(name)}=${encodeURIComponent(query[name] ?? '')}`)
      .join('&'),
    ...names.split(';').map(name => `${name}:${headers[name]}`),
    '',
    names,
    sha256(body),
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const expected = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex')
  const needed = ['host', 'x-amz-date', ...(headers['content-type'] === undefined ? [] : ['content-type'])]
  const signsEnough = needed.every(name => names.split(';').includes(name))
  const isRecent = Math.abs(Date.now() - sentAt) < 300_000
  return { isValid: signsEnough && isRecent && signature === expected, accessKeyId, region, service }
}
