// Measures the verification of one token, in microseconds of one core: its parts, the whole uncached, the whole from
// the cache, and jose for comparison.
// Usage: node bench/parts/token-verify.ts
import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { isSignedBy, type SignatureAlgorithm } from '../../server/src/crypto/keys/check-signature.ts'
import { createFixedKeySource, readKeySet } from '../../server/src/crypto/keys/key-set.ts'
import { readPayload, readTokenForm } from '../../server/src/crypto/token-form.ts'
import { createTokenVerifier } from '../../server/src/crypto/tokens/token-verifier.ts'

const issuer = 'https://gate.example.com'
const audience = 'service'
const rounds = 7
const perRound = 2000
/** Enough live tokens that the processor's caches and the map are not unrealistically warm. */
const liveTokens = 1000

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicKey = createPublicKey(privateKey)
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'default', use: 'sig', alg: 'RS256' }
const keySet = readKeySet(JSON.stringify({ keys: [jwk] }), { algorithms: ['RS256'], reservedKids: new Set() })
if (typeof keySet === 'string') throw new Error(keySet)
const tokens = await Promise.all(Array.from({ length: liveTokens }, (_, at) => mint(`user-${at}`)))
const verifying = { kid: 'default', algorithms: ['RS256'] satisfies SignatureAlgorithm[], key: publicKey }

function mint(uid: string): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    tid: '5a3c9d52-3c0f-4f0e-9d59-d9ee9a6d2f3e',
    pid: '0c5ec2a0-9f1c-4a77-a3de-7c1f0f3a0b11',
    uid,
    role: 'user',
    scp: [],
    iss: issuer,
    aud: audience,
    iat,
    nbf: iat,
    exp: iat + 3600,
    jti: '7b1de0a9-6c53-4d93-a23b-5dff1f6b9d10',
  }
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'default' }).sign(privateKey)
}

function createVerifier(cacheEntries: number) {
  const ownKeys = createFixedKeySource(keySet as Exclude<typeof keySet, string>)
  const ownRules = { issuer, audience }
  return createTokenVerifier({ ownKeys, ownRules, checkUserId: id => id, now: Date.now, cacheEntries })
}

/** A new string, like a header from the wire: without a hash that an earlier look-up has stored in it. */
function fresh(at: number): string {
  return Buffer.from(tokens[at % liveTokens] ?? '', 'latin1').toString('latin1')
}

async function measure(name: string, run: (at: number) => unknown): Promise<void> {
  const figures: number[] = []
  for (let round = 0; round < rounds; round++) {
    const inputs = perRound
    const started = process.hrtime.bigint()
    for (let at = 0; at < inputs; at++) {
      const result = run(at)
      if (result instanceof Promise) await result
    }
    figures.push(Number(process.hrtime.bigint() - started) / 1000 / inputs)
  }
  figures.sort((a, b) => a - b)
  const median = figures[Math.floor(rounds / 2)] ?? Number.NaN
  console.log(`${name.padEnd(44)} ${median.toFixed(2).padStart(8)} µs   (${figures[0]?.toFixed(2)} best)`)
}

const nobody = async () => null
const uncached = createVerifier(0)
const cached = createVerifier(100_000)
const forms = tokens.map(token => readTokenForm(token)).filter(form => typeof form === 'object')

console.log(
  `Node ${process.version}, ${tokens[0]?.length} characters a token, median of ${rounds} rounds of ${perRound}`,
)
await measure('string off the wire (part of all below)', fresh)
await measure('SHA-256 of the token', at => hash('sha256', fresh(at), 'base64'))
await measure('form: split, canonical, header', at => readTokenForm(fresh(at)))
await measure('payload: strict JSON', at => readPayload(forms[at % forms.length] ?? forms[0]!))
await measure('signature, node:crypto', at => {
  const form = forms[at % forms.length] ?? forms[0]!
  return isSignedBy(verifying, 'RS256', form.signed, form.signature)
})
await measure('verify, cold', at => uncached.verify(fresh(at), nobody))
await measure('verify, cached', at => cached.verify(fresh(at), nobody))
await measure('verify, refused by form', at => cached.verify(`${fresh(at)}=`, nobody))
await measure('jose jwtVerify, for comparison', at =>
  jwtVerify(fresh(at), publicKey, { issuer, audience, algorithms: ['RS256'], clockTolerance: 30 }),
)
