// People with second factors: they add them through the routes, as a browser or an app would.
import type { ManagementHarness, Person } from '../../support/management-harness.ts'
import { type Authenticator, createAuthenticator, type Replaced } from '../../support/simulated/authenticator.ts'
import { totpCode } from '../../support/simulated/totp-code.ts'
import { expectOk } from '../requests.ts'

export const paths = {
  sessions: '/auth/v1/sessions',
  secondFactor: '/auth/v1/sessions/second-factor',
  passkey: '/auth/v1/sessions/passkey',
  reauthenticate: '/auth/v1/sessions/current/reauthenticate',
  passkeys: '/auth/v1/users/current/passkeys',
  totp: '/auth/v1/users/current/totp',
  factors: '/auth/v1/users/current/second-factors',
  backupCodes: '/auth/v1/users/current/backup-codes',
}

export const originOf = (plane: ManagementHarness) => `http://localhost:${plane.product.port}`

export interface WithTotp extends Person {
  secret: string
  backupCodes: string[]
}

export async function addTotp(plane: ManagementHarness, person: Person): Promise<WithTotp> {
  const { session } = person
  const { secret } = expectOk<{ secret: string }>(await plane.call('POST', paths.totp, { session }))
  const confirmed = await plane.call('POST', `${paths.totp}/confirm`, { session, body: { code: totpCode(secret) } })
  const { backup_codes: backupCodes } = expectOk<{ backup_codes: string[] }>(confirmed)
  await forgetCodes(plane, person)
  return { ...person, secret, backupCodes }
}

/** So that a test need not wait half a minute for the next code. */
export async function forgetCodes(plane: ManagementHarness, { id }: Pick<Person, 'id'>): Promise<void> {
  await plane.query('update totp_secrets set last_step = 0 where user_id = ?', [id])
}

interface CreationOptions {
  challenge: string
  rp: { id: string }
  user: { id: string }
}

export async function addPasskey(plane: ManagementHarness, { session }: Pick<Person, 'session'>, more: Replaced = {}) {
  const authenticator = createAuthenticator(originOf(plane))
  const options = expectOk<CreationOptions>(await plane.call('POST', `${paths.passkeys}/options`, { session }))
  const body = { name: 'Laptop', response: authenticator.create(options, more) }
  return { authenticator, body, answer: await plane.call('POST', paths.passkeys, { session, body }) }
}

/** The first half of a sign-in. */
export async function beginSignIn(plane: ManagementHarness, { email, password }: Pick<Person, 'email' | 'password'>) {
  const answer = await plane.call('POST', paths.sessions, { body: { email, password } })
  return { answer, ...(answer.body as { challenge: string; methods: string[] }) }
}

export async function signInOptions(plane: ManagementHarness) {
  return expectOk<{ challenge: string; rpId: string }>(await plane.call('POST', `${paths.passkey}/options`))
}

export async function stepUpWith(plane: ManagementHarness, session: string, authenticator: Authenticator) {
  const begun = await plane.call('POST', `${paths.reauthenticate}/options`, { session })
  const { passkey } = expectOk<{ passkey: { challenge: string; rpId: string } }>(begun)
  return await plane.call('POST', paths.reauthenticate, { session, body: { passkey: authenticator.get(passkey) } })
}

/** As if it had been opened eleven minutes ago. */
export async function makeStale(plane: ManagementHarness, { id }: Pick<Person, 'id'>): Promise<void> {
  const at = Date.now() - 11 * 60_000
  await plane.query('update sessions set authenticated_at = ? where user_id = ?', [at, id])
}
