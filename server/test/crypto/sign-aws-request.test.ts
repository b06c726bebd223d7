// AWS's published test vectors of Signature Version 4, and what they do not cover: a path that is encoded already.

import { describe, expect, it } from 'vitest'
import { signAwsRequest, type UnsignedRequest } from '../../src/crypto/sign-aws-request.ts'

/** The credentials and the scope of all vectors. */
const example = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
}
const scope = { region: 'us-east-1', service: 'service', now: Date.parse('2015-08-30T12:36:00Z') }
const host = 'https://example.amazonaws.com'

const get = (path: string, headers = {}): UnsignedRequest => ({ method: 'GET', url: host + path, headers, body: '' })
const post = (path: string, headers = {}, body = ''): UnsignedRequest => ({
  ...get(path, headers),
  method: 'POST',
  body,
})

const signatureOf = (request: UnsignedRequest, credentials = example) =>
  /Signature=(.*)$/.exec(signAwsRequest(request, credentials, scope)['authorization'] ?? '')?.[1]

describe('the signature of a published vector', () => {
  it.each<[name: string, request: UnsignedRequest, signature: string]>([
    ['get-vanilla', get('/'), '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', post('/'), '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'post-x-www-form-urlencoded',
      post('/', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'Param1=value1'),
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
    [
      'get-vanilla-query-order-key-case',
      get('/?Param2=value2&Param1=value1'),
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['get-vanilla-utf8-query', get('/?ሴ=bar'), '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04'],
    ['get-slashes-normalized', get('//example//'), '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84'],
    [
      'get-header-value-trim',
      get('/', { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' }),
      'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
    ],
  ])('%s', (_, request, signature) => {
    expect(signatureOf(request)).toBe(signature)
  })

  it('get-vanilla-with-session-token, with all headers that it adds', () => {
    const sessionToken = '6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267'
    expect(signAwsRequest(get('/'), { ...example, sessionToken }, scope)).toEqual({
      'x-amz-date': '20150830T123600Z',
      'x-amz-security-token': sessionToken,
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        'SignedHeaders=host;x-amz-date;x-amz-security-token, ' +
        'Signature=07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8',
    })
  })
})

/** Computed by botocore's SigV4Auth for this request: a signature over a path that is encoded only once differs. */
it('encodes a path that is encoded already a second time', () => {
  const request = post('/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse', {}, '{}')
  expect(signatureOf(request)).toBe('324e1e2d483d307cc293745231698c3a007046168248f85bd5bd927300278b2c')
  expect(signatureOf(request)).not.toBe(signatureOf({ ...request, url: request.url.replace('%3A', ':') }))
})

it('signs the body and every header', () => {
  const signature = signatureOf(post('/', { a: '1' }, '{}'))
  expect(signatureOf(post('/', { a: '2' }, '{}'))).not.toBe(signature)
  expect(signatureOf(post('/', { a: '1' }, '[]'))).not.toBe(signature)
  expect(signatureOf(post('/', { a: '1' }, '{}'))).toBe(signature)
})
