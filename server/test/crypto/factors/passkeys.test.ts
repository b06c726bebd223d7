// Answers of authenticators, right and altered, with every kind of key: verified as @simplewebauthn/server does, whose
// verdict each case is held against. Where ours is stricter, the case says so.
import { randomBytes } from 'node:crypto'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCbor } from '../../../src/crypto/factors/cbor.ts'
import { relyingPartyOf, verifyNewPasskey, verifyPasskey } from '../../../src/crypto/factors/passkeys.ts'
import {
  type Authenticator,
  type Created,
  createAuthenticator,
  type PasskeyKind,
  type Replaced,
  type Signed,
} from '../../support/simulated/authenticator.ts'

const relyingParty = relyingPartyOf('https://gateway.example.com:8443/')
const challenge = randomBytes(32).toString('base64url')
const user = { id: Buffer.from('user').toString('base64url') }
const kinds: PasskeyKind[] = ['Ed25519', 'P-256', 'RSA']

const create = (authenticator: Authenticator, more?: Replaced) =>
  authenticator.create({ challenge, rp: relyingParty, user }, more)
const get = (authenticator: Authenticator, more?: Replaced) =>
  authenticator.get({ challenge, rpId: relyingParty.id }, more)

const expected = {
  expectedChallenge: challenge,
  expectedOrigin: relyingParty.origin,
  expectedRPID: relyingParty.id,
}

async function oracleCreates(response: Created): Promise<boolean> {
  return await verifyRegistrationResponse({ response, ...expected }).then(
    ({ verified }) => verified,
    () => false,
  )
}

async function oracleAccepts(created: Created, response: Signed, counter: number): Promise<boolean> {
  const { registrationInfo } = await verifyRegistrationResponse({ response: created, ...expected })
  if (registrationInfo === undefined) throw new Error('not registered')
  const credential = { ...registrationInfo.credential, counter }
  return await verifyAuthenticationResponse({ response, credential, ...expected }).then(
    ({ verified }) => verified,
    () => false,
  )
}

/** Flips one bit of a member of the response. */
const flip =
  (member: string, at: number): Replaced['tamper'] =>
  response => {
    const bytes = Buffer.from(response[member] ?? '', 'base64url')
    const index = at % bytes.length
    bytes[index] = (bytes[index] ?? 0) ^ 1
    response[member] = bytes.toString('base64url')
  }

const refused: [string, Replaced][] = [
  ['another origin', { origin: 'https://gateway.example.com' }],
  ['an origin that only begins alike', { origin: 'https://gateway.example.com:8443.evil.example' }],
  ['another RP id', { rpId: 'example.com' }],
  ['another challenge', { challenge: randomBytes(32).toString('base64url') }],
  ['another type', { type: 'payment.get' }],
  ['nobody present', { flags: 0x44 }],
  ['nobody verified', { flags: 0x41 }],
]

describe.each(kinds)('a new passkey on %s', kind => {
  test('is accepted', async () => {
    const authenticator = createAuthenticator(relyingParty.origin, kind)
    const response = create(authenticator)
    expect(verifyNewPasskey(response, { relyingParty, challenge })).toMatchObject({
      credentialId: authenticator.id,
      counter: 1,
    })
    expect(await oracleCreates(response)).toBe(true)
  })

  test.each(refused)('is refused for %s', async (_case, more) => {
    const response = create(createAuthenticator(relyingParty.origin, kind), more)
    expect(verifyNewPasskey(response, { relyingParty, challenge })).toBeNull()
    expect(await oracleCreates(response)).toBe(false)
  })

  test('is refused in a frame of another site, which the oracle allows', () => {
    for (const frame of [{ crossOrigin: true }, { topOrigin: 'https://other.example' }]) {
      const response = create(createAuthenticator(relyingParty.origin, kind), frame)
      expect(verifyNewPasskey(response, { relyingParty, challenge })).toBeNull()
    }
  })

  test('is refused under the id of another', async () => {
    const response = { ...create(createAuthenticator(relyingParty.origin, kind)), id: 'AAAA' }
    expect(verifyNewPasskey(response, { relyingParty, challenge })).toBeNull()
  })
})

describe.each(kinds)('a signature on %s', kind => {
  function stage() {
    const authenticator = createAuthenticator(relyingParty.origin, kind)
    const created = create(authenticator)
    const known = verifyNewPasskey(created, { relyingParty, challenge })
    if (known === null) throw new Error('the passkey was refused')
    const check = async (response: Signed, counter = known.counter) => {
      const ours = verifyPasskey(response, { relyingParty, challenge }, { ...known, counter })
      expect(await oracleAccepts(created, response, counter)).toBe(ours !== null)
      return ours
    }
    return { authenticator, known, check }
  }

  test('is accepted with the counter that it has', async () => {
    const { authenticator, check } = stage()
    expect(await check(get(authenticator))).toBe(2)
    expect(await check(get(authenticator), 2)).toBe(3)
  })

  test('is accepted without a counter', async () => {
    const { authenticator, check } = stage()
    expect(await check(get(authenticator, { counter: 0 }), 0)).toBe(0)
  })

  test.each([5, 6, 4_294_967_295])('is refused by the counter of a copy: %d instead of more than it', async counter => {
    const { authenticator, check } = stage()
    expect(await check(get(authenticator, { counter: 5 }), counter)).toBeNull()
  })

  test.each(refused)('is refused for %s', async (_case, more) => {
    const { authenticator, check } = stage()
    const flags = more.flags === undefined ? {} : { flags: more.flags & 0x3f }
    expect(await check(get(authenticator, { ...more, ...flags }))).toBeNull()
  })

  test('is refused from another key', async () => {
    const { known } = stage()
    const other = createAuthenticator(relyingParty.origin, kind)
    create(other)
    expect(verifyPasskey(get(other), { relyingParty, challenge }, known)).toBeNull()
  })

  test('is refused with any bit changed', async () => {
    const { authenticator, known, check } = stage()
    const members = ['clientDataJSON', 'authenticatorData', 'signature']
    const bit = fc.tuple(fc.constantFrom(...members), fc.nat(2000))
    await fc.assert(
      fc.asyncProperty(bit, async ([member, at]) => {
        const response = get(authenticator, { tamper: flip(member, at) })
        // The oracle takes some malformed encodings of a signature's two numbers.
        if (member !== 'signature') expect(await check(response)).toBeNull()
        expect(verifyPasskey(response, { relyingParty, challenge }, known)).toBeNull()
      }),
      { numRuns: 60 },
    )
  })
})

test('random bytes are read or refused, never more', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      const text = Buffer.from(bytes).toString('base64url')
      expect(readCbor(Buffer.from(bytes))?.end ?? 0).toBeLessThanOrEqual(bytes.length)
      const response = { clientDataJSON: text, attestationObject: text }
      expect(verifyNewPasskey({ id: text, response }, { relyingParty, challenge })).toBeNull()
    }),
  )
})

test('an array that says it has four billion items costs nothing', () => {
  expect(readCbor(Buffer.from([0x9a, 0xff, 0xff, 0xff, 0xff]))).toBeNull()
  expect(readCbor(Buffer.alloc(1000, 0x81))).toBeNull()
})
