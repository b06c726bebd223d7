// An authenticator with one passkey, and the browser before it: answers options as `toJSON()` of a credential does.
// Each part of an answer can be replaced, for answers that a server must refuse.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export type PasskeyKind = 'Ed25519' | 'P-256' | 'RSA'

/** What a dishonest browser or authenticator would put in place of what is right. */
export interface Replaced {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  flags?: number
  counter?: number
  crossOrigin?: boolean
  topOrigin?: string
  /** After everything was signed. */
  tamper?: (response: Record<string, string>) => void
}

export interface Authenticator {
  readonly id: string
  /** Grows with each signature; set back, it is a copy of an older state. */
  counter: number
  create(options: { challenge: string; rp: { id: string }; user: { id: string } }, more?: Replaced): Created
  get(options: { challenge: string; rpId: string }, more?: Replaced): Signed
}

export interface Created {
  id: string
  rawId: string
  type: 'public-key'
  clientExtensionResults: object
  response: { clientDataJSON: string; attestationObject: string }
}

export interface Signed {
  id: string
  rawId: string
  type: 'public-key'
  clientExtensionResults: object
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string }
}

const [present, verified, attested] = [0x01, 0x04, 0x40]

export function createAuthenticator(origin: string, kind: PasskeyKind = 'P-256'): Authenticator {
  const { publicKey, privateKey } = makeKeys(kind)
  const idBytes = randomBytes(32)
  const id = idBytes.toString('base64url')
  let userHandle = ''
  const common = { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const
  const clientData = (type: string, challenge: string, more: Replaced) =>
    Buffer.from(
      JSON.stringify({
        type: more.type ?? type,
        challenge: more.challenge ?? challenge,
        origin: more.origin ?? origin,
        crossOrigin: more.crossOrigin ?? false,
        // Left out of the text without one.
        topOrigin: more.topOrigin,
      }),
    )
  const data = (rpId: string, flags: number, more: Replaced, counter: number) => {
    const head = Buffer.alloc(5)
    head.writeUInt8(more.flags ?? flags)
    head.writeUInt32BE(more.counter ?? counter, 1)
    return Buffer.concat([sha256(more.rpId ?? rpId), head])
  }
  return {
    id,
    counter: 1,
    create({ challenge, rp, user }, more = {}) {
      userHandle = user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(idBytes.length)
      const head = data(rp.id, present | verified | attested, more, this.counter)
      const authData = Buffer.concat([head, Buffer.alloc(16), length, idBytes, cbor(coseOf(kind, publicKey))])
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge, more).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
      }
      more.tamper?.(response)
      return { ...common, response }
    },
    get({ challenge, rpId }, more = {}) {
      this.counter++
      const authenticatorData = data(rpId, present | verified, more, this.counter)
      const client = clientData('webauthn.get', challenge, more)
      const signed = Buffer.concat([authenticatorData, sha256(client)])
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign(kind === 'Ed25519' ? null : 'sha256', signed, privateKey).toString('base64url'),
        userHandle,
      }
      more.tamper?.(response)
      return { ...common, response }
    },
  }
}

function makeKeys(kind: PasskeyKind): { publicKey: KeyObject; privateKey: KeyObject } {
  if (kind === 'Ed25519') return generateKeyPairSync('ed25519')
  if (kind === 'P-256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

function coseOf(kind: PasskeyKind, publicKey: KeyObject): Map<number, unknown> {
  const jwk = publicKey.export({ format: 'jwk' })
  const bytes = (text: unknown) => Buffer.from(String(text), 'base64url')
  const members: Record<PasskeyKind, [number, unknown][]> = {
    Ed25519: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ],
    'P-256': [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ],
    RSA: [
      [1, 3],
      [3, -257],
      [-1, bytes(jwk.n)],
      [-2, bytes(jwk.e)],
    ],
  }
  return new Map(members[kind])
}

function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, inner]) => [cbor(key), cbor(inner)])])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff])
}

function sha256(bytes: string | Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
