// Who may do something before the routes: people by role and by the way in which they signed in, service accounts, and
// operators. For each of them the credential, and the judgement of a route by its declaration alone.
import { tokenDigest } from '../../src/crypto/secrets/credentials.ts'
import {
  builtInRoleNames,
  builtInRoles,
  type Permission,
  permissionNames,
} from '../../src/domain/access/permissions.ts'
import type { ManagementHarness, Person } from '../support/management-harness.ts'
import type { ScriptedIssuer } from '../support/simulated/scripted-issuer.ts'
import { addPasskey, paths, signInOptions } from './factors/people.ts'
import {
  type Judgement,
  judgeCredential,
  judgePerson,
  judgeServiceAccount,
  refused,
  type Standing,
  type Way,
} from './holder-rules.ts'
import { type Ids, idsFor } from './idor-callers.ts'
import { expectOk } from './requests.ts'
import { eachOf } from './send.ts'
import { openBrowser } from './sso/sign-on-stage.ts'
import type { TenantOf, TwoTenants } from './two-tenants.ts'

type Header = readonly [name: string, value: string]

export interface Holder {
  name: string
  headers: readonly Header[]
  /** Of what the paths lead to. */
  ids: Ids
  judge: Judgement
  /** Of people with a session: what the judgement depends on. */
  standing?: Standing
}

const bearer = (token: string): Header => ['Authorization', `Bearer ${token}`]

function personOf(name: string, session: string, ids: Ids, standing: Standing): Holder {
  return { name, headers: [bearer(session)], ids, standing, judge: judgePerson(standing) }
}

export function builtInRoleHolders(world: TwoTenants): Holder[] {
  const { a, member, viewer } = world
  const byName = { owner: a.owner, member, viewer }
  return builtInRoleNames.map(role =>
    personOf(role, byName[role].session, idsFor(world, a), {
      permissions: builtInRoles[role],
      way: 'password',
      isRecent: true,
    }),
  )
}

/** For each permission a member whose own role has it alone, and a service account. */
export async function preparePermissions(world: TwoTenants): Promise<Holder[]> {
  const { plane, a } = world
  const single = await eachOf(permissionNames, async permission => {
    const role = `only-${permission.replace(/[:_]/g, '-')}`
    const { session } = a.owner
    const body = { permissions: [permission] }
    expectOk(await plane.call('PUT', `/auth/v1/tenants/${a.id}/roles/${role}`, { session, body }))
    const person = await plane.makePerson()
    await plane.join(a.id, person, role, session)
    const standing = { permissions: [permission], way: 'password', isRecent: true } as const
    return [
      personOf(`a role with ${permission}`, person.session, idsFor(world, a), standing),
      await makeAccount(world, a, { permissions: [permission] }),
    ]
  })
  return single.flat()
}

interface AccountFacts {
  permissions: readonly Permission[]
  projects?: readonly string[]
}

async function makeAccount(world: TwoTenants, { id, owner }: TenantOf, facts: AccountFacts): Promise<Holder> {
  const body = { name: 'A program', ...facts }
  const path = `/auth/v1/tenants/${id}/service-accounts`
  const { key } = expectOk<{ key: string }>(await world.plane.call('POST', path, { session: owner.session, body }), 201)
  const ids = idsFor(world, world.a)
  const name = `a service account with ${facts.permissions.length === 1 ? facts.permissions : 'all permissions'}`
  return { name, headers: [bearer(key)], ids, judge: judgeServiceAccount({ ...facts, place: ids }) }
}

/** Service accounts with all permissions: of the tenant, of one project, of another tenant, and expired. */
export async function prepareServiceAccounts(world: TwoTenants): Promise<Holder[]> {
  const { plane, a, b } = world
  const all = { permissions: permissionNames }
  const [whole, bound, foreign, expired] = await Promise.all([
    makeAccount(world, a, all),
    makeAccount(world, a, { ...all, projects: [a.projects[0].id] }),
    makeAccount(world, b, all),
    makeAccount(world, a, all),
  ])
  const elsewhere = idsFor(world, a, a.projects[1])
  const boundElsewhere = judgeServiceAccount({ ...all, projects: [a.projects[0].id], place: elsewhere })
  const key = expired.headers[0]?.[1].slice('Bearer '.length) ?? ''
  await plane.query('update service_accounts set expires_at = 1 where key_digest = ?', [tokenDigest(key)])
  return [
    whole,
    { ...bound, name: 'a service account of this project' },
    { ...bound, name: 'a service account of another project', ids: elsewhere, judge: boundElsewhere },
    {
      ...foreign,
      name: 'a service account of another tenant',
      judge: judgeServiceAccount({ ...all, isForeign: true }),
    },
    { ...expired, name: 'an expired service account', judge: judgeServiceAccount({ ...all, isExpired: true }) },
  ]
}

export async function prepareCredentials(world: TwoTenants): Promise<Holder[]> {
  const { plane, a } = world
  const ids = idsFor(world, a)
  const make = async (scope: 'read' | 'write') => {
    const body = { name: `Who may ${scope}`, scope }
    const made = await plane.call('POST', '/v1/admin/credentials', { adminSecret: plane.adminSecret, body })
    return expectOk<{ id: string; secret: string }>(made, 201)
  }
  const [read, write, expired] = [await make('read'), await make('write'), await make('write')]
  await plane.query('update operator_credentials set expires_at = 1 where id = ?', [expired.id])
  const in_ = (header: Header, name: string, judge: Judgement): Holder => ({ name, headers: [header], ids, judge })
  return [
    in_(['X-Admin-Secret', plane.adminSecret], 'ADMIN_SECRET', judgeCredential('root')),
    in_(['X-Admin-Secret', read.secret], 'a credential that reads', judgeCredential('read')),
    in_(['X-Admin-Secret', write.secret], 'a credential that writes', judgeCredential('write')),
    in_(['X-Admin-Secret', expired.secret], 'an expired credential', judgeCredential('expired')),
    in_(bearer(write.secret), 'a credential in place of a session', judgeCredential('bearer')),
  ]
}

const dayMs = 86_400_000

/** Those who signed in today stay recent for an hour: on a busy machine the matrix takes longer than ten minutes. */
export async function keepRecent({ plane }: TwoTenants): Promise<void> {
  const now = Date.now()
  const statement = 'update sessions set authenticated_at = ? where authenticated_at > ?'
  await plane.query(statement, [now + 3_600_000, now - dayMs / 2])
}

/** Owners of A by each way of signing in, just now and a day ago. */
export async function prepareSessions(world: TwoTenants, issuer: ScriptedIssuer): Promise<Holder[]> {
  const { plane, a, b } = world
  const ids = idsFor(world, a)
  const [plain, keyed, company, outside] = await Promise.all([1, 2, 3, 4].map(() => makeOwner(plane, a)))
  if (plain === undefined || keyed === undefined || company === undefined || outside === undefined)
    throw new Error('nobody')
  const twice = async (way: Way, signIn: () => Promise<string>): Promise<[Holder, Holder]> => {
    const [fresh, old] = [await signIn(), await signIn()]
    const at = Date.now() - dayMs
    await plane.query('update sessions set authenticated_at = ? where token_digest = ?', [at, tokenDigest(old)])
    const standing = { permissions: permissionNames, way }
    return [
      personOf(way, fresh, ids, { ...standing, isRecent: true }),
      personOf(`${way}, stale`, old, ids, { ...standing, isRecent: false }),
    ]
  }
  const passwords = await twice('password', () => plane.signIn(plain.email, plain.password))
  const passkeys = await twice('passkey', await passkeyOf(plane, keyed))
  issuer.person = { sub: company.id, email: company.email, email_verified: true }
  const ofInstallation = await twice('sso of the installation', () => signOn(plane, ''))
  await useIssuer(plane, a, issuer)
  issuer.person = { sub: 'ann', email: `ann@${a.id}.example`, email_verified: true }
  const ofTenant = await twice('sso of the tenant', () => signOn(plane, `tenant=${a.id}`))
  await joinSilently(world, b, `ann@${a.id}.example`)
  const token = personOf('a token of SESSION_ISSUER', world.sessionToken(outside.email), ids, {
    permissions: permissionNames,
    way: 'external',
    isRecent: false,
  })
  return [
    ...passwords,
    ...inCookies(passwords[0]),
    ...passkeys,
    ...ofInstallation,
    ...ofTenant,
    inAnotherTenant(ofTenant[0], idsFor(world, b)),
    token,
  ]
}

async function makeOwner(plane: ManagementHarness, { id, owner }: TenantOf): Promise<Person> {
  const person = await plane.makePerson()
  await plane.join(id, person, 'owner', owner.session)
  return person
}

async function passkeyOf(plane: ManagementHarness, person: Person): Promise<() => Promise<string>> {
  const { authenticator, answer } = await addPasskey(plane, person)
  expectOk(answer, 201)
  return async () => {
    const body = { response: authenticator.get(await signInOptions(plane)) }
    return expectOk<{ session_token: string }>(await plane.call('POST', paths.passkey, { body })).session_token
  }
}

async function signOn(plane: ManagementHarness, query: string): Promise<string> {
  const { session, path } = await openBrowser(plane).signOn(query)
  if (session === undefined) throw new Error(`the single sign-on ended at ${path}`)
  return session
}

export async function useIssuer(
  plane: ManagementHarness,
  { id, owner }: TenantOf,
  { url, client }: ScriptedIssuer,
  more: object = {},
): Promise<void> {
  const body = { issuer: url, ...client, domains: [`${id}.example`], default_role: 'owner', ...more }
  expectOk(await plane.call('PUT', `/auth/v1/tenants/${id}/sso`, { session: owner.session, body }))
}

/** As if the account had been a member of that tenant before. */
async function joinSilently({ plane }: TwoTenants, { id }: TenantOf, email: string): Promise<void> {
  await plane.query(
    `insert into memberships (tenant_id, user_id, role, created_at)
     select ?, id, 'owner', 1 from users where email = ?`,
    [id, email],
  )
}

/** As a browser would send the session: a write needs the header that only a page of this origin can send. */
function inCookies({ headers, ids, standing }: Holder): Holder[] {
  const cookie = ['Cookie', `sallyport=${headers[0]?.[1].slice('Bearer '.length)}`] as const
  if (standing === undefined) throw new Error('only a session is kept in a cookie')
  return [
    { name: 'a cookie', headers: [cookie, ['X-Sallyport', '1']], ids, standing, judge: judgePerson(standing) },
    {
      name: 'a cookie without the header',
      headers: [cookie],
      ids,
      judge: (route, isOperator) => {
        const isSent = route.credential === 'session' || isOperator
        return route.method !== 'GET' && isSent
          ? refused('write_header_required')
          : judgePerson(standing)(route, isOperator)
      },
    },
  ]
}

function inAnotherTenant(holder: Holder, ids: Ids): Holder {
  return {
    ...holder,
    name: `${holder.name}, in another tenant of the account`,
    ids,
    judge: (route, isOperator) =>
      ['tenant', 'project', 'api-key'].includes(route.owner) ? refused('forbidden') : holder.judge(route, isOperator),
  }
}
