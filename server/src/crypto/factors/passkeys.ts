// Verifies what a browser returns from its passkeys: a new one, or a signature with one. Attestations are not looked
// at: we ask for none.

import { createPublicKey, hash, verify } from 'node:crypto'
import { isJsonObject, type JsonObject, parseJson } from '../../domain/json-object.ts'
import { isSameSecret } from '../compare.ts'
import { type AuthenticatorData, readAuthenticatorData } from './authenticator-data.ts'
import { readCbor } from './cbor.ts'

/** `toJSON()` of the browser's credential, without what nobody here reads. */
interface NewPasskeyResponse {
  id: string
  response: { clientDataJSON: string; attestationObject: string }
}

export interface PasskeyResponse {
  id: string
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null }
}

/** Where a passkey works: the origin of the pages, and the host name that it belongs to. */
interface RelyingParty {
  origin: string
  id: string
}

interface Expected {
  relyingParty: RelyingParty
  challenge: string
}

export function relyingPartyOf(baseUrl: string): RelyingParty {
  const { origin, hostname } = new URL(baseUrl)
  return { origin, id: hostname }
}

export interface NewPasskey {
  credentialId: string
  publicKey: string
  counter: number
}

/** Null if anything about it is wrong. */
export function verifyNewPasskey({ id, response }: NewPasskeyResponse, expected: Expected): NewPasskey | null {
  if (!isClientDataFor('webauthn.create', response.clientDataJSON, expected)) return null
  const attestation = readCbor(decode(response.attestationObject))?.value
  const bytes = attestation instanceof Map ? attestation.get('authData') : null
  const data = Buffer.isBuffer(bytes) ? readAuthenticatorData(bytes) : null
  if (data === null || !isFor(data, expected) || data.credential?.id !== id) return null
  const publicKey = data.credential.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url')
  return { credentialId: id, publicKey, counter: data.counter }
}

/** The passkey's new counter; null if anything is wrong: its counter went back, too, as that of a copy does. */
export function verifyPasskey(
  { response }: PasskeyResponse,
  expected: Expected,
  known: Pick<NewPasskey, 'publicKey' | 'counter'>,
): number | null {
  if (!isClientDataFor('webauthn.get', response.clientDataJSON, expected)) return null
  const bytes = decode(response.authenticatorData)
  const data = readAuthenticatorData(bytes)
  if (data === null || !isFor(data, expected)) return null
  const signed = Buffer.concat([bytes, hash('sha256', decode(response.clientDataJSON), 'buffer')])
  const key = createPublicKey({ key: decode(known.publicKey), format: 'der', type: 'spki' })
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  if (!verify(digest, signed, key, decode(response.signature))) return null
  const isCounting = data.counter > 0 || known.counter > 0
  return isCounting && data.counter <= known.counter ? null : data.counter
}

/** The challenge that a response says it answers. */
export function challengeIn(clientDataJSON: string): string | null {
  const challenge = readClientData(clientDataJSON)?.['challenge']
  return typeof challenge === 'string' ? challenge : null
}

function isClientDataFor(type: string, clientDataJSON: string, { relyingParty, challenge }: Expected): boolean {
  const data = readClientData(clientDataJSON)
  return (
    data !== null &&
    data['type'] === type &&
    typeof data['challenge'] === 'string' &&
    isSameSecret(data['challenge'], challenge) &&
    data['origin'] === relyingParty.origin &&
    // Our pages are in no frame.
    data['crossOrigin'] !== true &&
    data['topOrigin'] === undefined
  )
}

function readClientData(text: string): JsonObject | null {
  const data = parseJson(decode(text).toString('utf8'))
  return isJsonObject(data) ? data : null
}

function isFor(data: AuthenticatorData, { relyingParty }: Expected): boolean {
  return data.isPresent && data.isVerified && data.rpIdHash.equals(hash('sha256', relyingParty.id, 'buffer'))
}

function decode(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}
