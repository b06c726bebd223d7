// What must be so before a route can succeed, beyond two tenants with everything: by the route's operation.
import { tokenDigest } from '../../../src/crypto/secrets/credentials.ts'
import { sessionId } from '../../../src/management/people/own-sessions.ts'
import type { Person } from '../../support/management-harness.ts'
import { createAuthenticator } from '../../support/simulated/authenticator.ts'
import { totpCode } from '../../support/simulated/totp-code.ts'
import { addPasskey, addTotp, beginSignIn, originOf, paths, signInOptions } from '../factors/people.ts'
import { goodBody } from '../good-bodies.ts'
import type { Ids } from '../idor-callers.ts'
import { expectOk } from '../requests.ts'
import type { TenantOf, TwoTenants } from '../two-tenants.ts'

export interface Given {
  ids?: Ids
  body?: unknown
  query?: string
  /** A session, or the admin secret. */
  credential?: string
}

interface Place {
  world: TwoTenants
  /** Of this case alone. */
  tenant: TenantOf
  ids: Ids
}

type Prepare = (place: Place) => Promise<Given>

const tokenIn = (url: string) => new URL(url).hash.slice('#token='.length)

async function call<Body = Record<string, string>>(
  { world, tenant }: Place,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const answer = await world.plane.call(method, path, { session: tenant.owner.session, body })
  return expectOk<Body>(answer, answer.status < 300 ? answer.status : 200)
}

async function asOperator<Body = Record<string, string>>({ world }: Place, path: string, body?: unknown) {
  const answer = await world.plane.call('POST', path, { adminSecret: world.plane.adminSecret, body })
  return expectOk<Body>(answer, answer.status < 300 ? answer.status : 200)
}

const suspend = (place: Place, index: 0 | 1) =>
  call(place, 'POST', `/auth/v1/projects/${place.tenant.projects[index].id}/suspend`)

/** What a program gets that asks to be signed in. */
const askForDevice = (place: Place) => call(place, 'POST', '/auth/v1/device/code', {})

/** Somebody whose account the tenant's invitation makes. */
async function invite(place: Place): Promise<{ token: string; password: string; email: string }> {
  const email = `invited-${crypto.randomUUID()}@example.com`
  const body = { email, role: 'viewer' }
  const { invite_url = '' } = await call(place, 'POST', `/auth/v1/tenants/${place.tenant.id}/members`, body)
  return { token: tokenIn(invite_url), password: 'correct horse battery staple', email }
}

async function addMember(place: Place): Promise<Ids> {
  const { token, password } = await invite(place)
  const answer = await place.world.plane.call('POST', '/auth/v1/invitations/accept', { body: { token, password } })
  return { userId: expectOk<{ user: { id: string } }>(answer).user.id }
}

const withNewPerson =
  (given: (person: Person) => Given): Prepare =>
  async ({ world }) =>
    given(await world.plane.makePerson())

/** The limit of checks is the tenant's: its own tenant is enough. */
const nothing: Prepare = async () => ({})

function withCloud(cloud: string): Prepare {
  return async place => {
    const body = goodBody('PUT', `/auth/v1/tenants/:tenantId/providers/${cloud}`, place.world.upstreamUrl)
    await call(place, 'PUT', `/auth/v1/tenants/${place.tenant.id}/providers/${cloud}`, body)
    return {}
  }
}

const draftAnother: Prepare = async place => {
  const path = `/auth/v1/projects/${place.tenant.projects[0].id}/settings/model/draft`
  await call(place, 'PUT', path, { provider_model: 'openai/gpt-4o' })
  return {}
}

const deployed: Prepare = async place => {
  const path = `/auth/v1/projects/${place.tenant.projects[0].id}/settings`
  await call(place, 'POST', `${path}/deploy`)
  await call(place, 'PUT', path, { system_prompt: 'Another draft' })
  return { ids: { number: '1' } }
}

/** Somebody with a passkey and codes. */
async function makeStrong({ world: { plane } }: Place) {
  const person = await addTotp(plane, await plane.makePerson())
  const { authenticator, answer } = await addPasskey(plane, person)
  return { ...person, authenticator, passkeyId: expectOk<{ id: string }>(answer, 201).id }
}

export const preparations: Record<string, Prepare> = {
  proveSecondFactor: async place => {
    const person = await makeStrong(place)
    const { challenge } = await beginSignIn(place.world.plane, person)
    return { body: { challenge, code: totpCode(person.secret) }, credential: '' }
  },
  signInWithPasskey: async place => {
    const { authenticator } = await makeStrong(place)
    return { body: { response: authenticator.get(await signInOptions(place.world.plane)) }, credential: '' }
  },
  reauthenticateSession: withNewPerson(({ password, session }) => ({ body: { password }, credential: session })),
  addPasskey: async ({ world: { plane } }) => {
    const { session } = await plane.makePerson()
    const authenticator = createAuthenticator(originOf(plane))
    const options = await plane.call('POST', `${paths.passkeys}/options`, { session })
    return { body: { name: 'Key', response: authenticator.create(expectOk(options)) }, credential: session }
  },
  removePasskey: async place => {
    const { session, passkeyId } = await makeStrong(place)
    return { ids: { passkeyId }, credential: session }
  },
  beginTotp: withNewPerson(({ session }) => ({ credential: session })),
  confirmTotp: async ({ world: { plane } }) => {
    const { session } = await plane.makePerson()
    const { secret } = expectOk<{ secret: string }>(await plane.call('POST', paths.totp, { session }))
    return { body: { code: totpCode(secret) }, credential: session }
  },
  removeTotp: async place => {
    const { session, secret } = await makeStrong(place)
    return { body: { code: totpCode(secret) }, credential: session }
  },
  createBackupCodes: async place => ({ credential: (await makeStrong(place)).session }),
  removeUserSecondFactors: async place => ({ ids: { userId: (await makeStrong(place)).id } }),
  createSession: withNewPerson(({ email, password }) => ({ body: { email, password }, credential: '' })),
  changePassword: withNewPerson(({ password, session }) => ({
    body: { current_password: password, new_password: 'another battery staple' },
    credential: session,
  })),
  acceptPasswordReset: async place => {
    const { id } = await place.world.plane.makePerson()
    const { reset_url = '' } = await asOperator(place, `/v1/admin/users/${id}/reset-link`)
    return { body: { token: tokenIn(reset_url), password: 'another battery staple' }, credential: '' }
  },
  acceptInvitation: async place => {
    const { token, password } = await invite(place)
    return { body: { token, password }, credential: '' }
  },
  approveDevice: async place => ({ body: { user_code: (await askForDevice(place)).user_code } }),
  denyDevice: async place => ({ body: { user_code: (await askForDevice(place)).user_code } }),
  exchangeDeviceCode: async place => {
    const { user_code, device_code } = await askForDevice(place)
    await call(place, 'POST', '/auth/v1/device/approve', { user_code })
    return { body: { device_code }, credential: '' }
  },
  endCurrentSession: withNewPerson(({ session }) => ({ credential: session })),
  endOtherSessions: withNewPerson(({ session }) => ({ credential: session })),
  endOwnSession: withNewPerson(({ session }) => ({
    credential: session,
    ids: { sessionId: sessionId(tokenDigest(session)) },
  })),
  createMemberResetLink: async place => ({ ids: await addMember(place) }),
  changeMemberRole: async place => ({ ids: await addMember(place), body: { role: 'member' } }),
  removeMember: async place => ({ ids: await addMember(place) }),
  addOperator: withNewPerson(({ email }) => ({ body: { email } })),
  removeOperator: async place => {
    const { id, email } = await place.world.plane.makePerson()
    await asOperator(place, '/v1/admin/operators', { email })
    return { ids: { userId: id } }
  },
  deleteOperatorCredential: async place => {
    const { id = '' } = await asOperator(place, '/v1/admin/credentials', { name: 'Gone', scope: 'read' })
    return { ids: { credentialId: id } }
  },
  suspendProject: nothing,
  reactivateProject: async place => {
    await suspend(place, 0)
    return {}
  },
  deleteProject: async place => {
    await suspend(place, 0)
    return {}
  },
  deleteTenant: async place => {
    await suspend(place, 0)
    await suspend(place, 1)
    return {}
  },
  retryProvisioning: async ({ world, tenant }) => {
    const [{ id }] = tenant.projects
    await world.plane.query("update projects set dns_status = 'FAILED' where id = ?", [id])
    return {}
  },
  discardDraft: deployed,
  rollbackDeployment: deployed,
  publishModel: draftAnother,
  deleteTenantPrices: async place => {
    const body = { model: 'openai/gpt-4o-mini', input: 1, output: 2 }
    await call(place, 'PUT', `/auth/v1/tenants/${place.tenant.id}/prices`, body)
    return { query: '?model=openai/gpt-4o-mini' }
  },
  setPlan: nothing,
  setProviderKey: nothing,
  setCustomProvider: async () => ({ ids: { slug: 'another' } }),
  setAzureProvider: nothing,
  setBedrockProvider: nothing,
  setVertexProvider: nothing,
  deleteAzureProvider: withCloud('azure'),
  deleteBedrockProvider: withCloud('bedrock'),
  deleteVertexProvider: withCloud('vertex'),
  updateTier: nothing,
  rotateApiKey: nothing,
  rotateApiKeyById: nothing,
  revokeApiKey: nothing,
}
