// A tiny identity provider in place of Clerk, Auth0, Firebase or Supabase: signs tokens, and publishes the key to verify them.
// For trying things out alone: it signs in whoever asks.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const kid = randomUUID()
const keySet = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] }

const encode = value => Buffer.from(JSON.stringify(value)).toString('base64url')

function issueToken(issuer, audience, user) {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: audience, sub: user, iat: now, exp: now + 300 }
  const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** Resolves to the issuer's address. */
export async function startIssuer(port, audience) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const issuer = `http://localhost:${server.address().port}`
    response.setHeader('Access-Control-Allow-Origin', '*')
    if (pathname === '/.well-known/jwks.json') response.end(JSON.stringify(keySet))
    else if (pathname === '/token') response.end(issueToken(issuer, audience, searchParams.get('user') ?? ''))
    else response.writeHead(404).end()
  })
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return `http://localhost:${server.address().port}`
}
