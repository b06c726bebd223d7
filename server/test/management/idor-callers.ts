// Who may stand before a route: for each class of caller of the authorization matrix the requests that such a caller
// would try, made for one route. Knows the words of the matrix; expects nothing.
import { tokenDigest } from '../../src/crypto/secrets/credentials.ts'
import { sessionId } from '../../src/management/people/own-sessions.ts'
import { goodBody } from './good-bodies.ts'
import { unknownId } from './requests.ts'
import type { Sent } from './send.ts'
import { mintFor, sessionIssuer, type TenantOf, type TwoTenants } from './two-tenants.ts'

export interface Target {
  method: string
  /** With `:names` for ids. */
  pattern: string
  query?: string
}

export type Caller = (target: Target) => Sent[] | Promise<Sent[]>

export type Ids = Record<string, string>

export function idsFor(world: TwoTenants, tenant: TenantOf, project = tenant.projects[0]): Ids {
  return {
    tenantId: tenant.id,
    tenantName: tenant.name,
    projectId: project.id,
    slug: project.slug,
    keyId: project.keyId,
    tierId: project.tierId,
    userId: tenant.owner.id,
    roleName: 'auditor',
    promptName: 'greeting',
    serviceAccountId: tenant.serviceAccountId,
    credentialId: unknownId,
    passkeyId: unknownId,
    sessionId: sessionId(tokenDigest(tenant.owner.session)),
    invitationId: tenant.invitationId,
    webhookId: tenant.webhookId,
    uid: 'user-1',
    kind: 'turnstile',
    seq: '1',
    requestId: unknownId,
    number: String(project.newest),
    providerType: 'openai',
    providerId: world.providerId,
    id: world.providerId,
    upstreamUrl: world.upstreamUrl,
  }
}

const routeOf = (pattern: string) =>
  pattern.replace('/providers/openai', '/providers/:providerType').replace(':id/sync', ':providerId/sync')

export function requestTo({ method, pattern, query = '' }: Target, ids: Ids, more: Partial<Sent> = {}): Sent {
  const fill = (text: string) =>
    text.replace(/:(\w+)/g, (_, name: string) => {
      const id = ids[name]
      if (id === undefined) throw new Error(`${pattern}: nothing to put for :${name}`)
      return id
    })
  const whole = goodBody(method, routeOf(pattern), ids['upstreamUrl'] ?? '')
  const good = Object.entries(whole ?? {}).map(([field, value]) => [
    field,
    typeof value === 'string' && value.startsWith(':') ? fill(value) : value,
  ])
  const body = good.length === 0 ? whole : Object.fromEntries(good)
  return { method, path: fill(pattern) + query, body, ...more }
}

const bearer = (token: string) => ['Authorization', `Bearer ${token}`] as const
const oddIds = ['not-a-uuid', '0', '-1', '..%2f', '1e999', 'x'.repeat(4096), '%00', "'%20or%201=1--", '%F0%9F%92%A9']
const idNames = [
  'tenantId',
  'projectId',
  'keyId',
  'tierId',
  'userId',
  'number',
  'providerId',
  'id',
  'sessionId',
  'passkeyId',
  'invitationId',
  'webhookId',
  'serviceAccountId',
]

/** Prepares every credential once; the answer knows each class of caller by the matrix's own words. */
export async function prepareCallers(world: TwoTenants): Promise<Record<string, Caller>> {
  return { ...(await strangers(world)), ...otherTenant(world), ...operators(world), ...(await fellows(world)) }
}

/** Nobody whom a dashboard route should know. */
async function strangers(world: TwoTenants): Promise<Record<string, Caller>> {
  const { plane, a } = world
  const project = a.projects[0]
  const ids = idsFor(world, a)
  const withHeaders = (target: Target, ...headers: (readonly [string, string])[]) => requestTo(target, ids, { headers })
  const withBearer = (token: string) => (target: Target) => [withHeaders(target, bearer(token))]
  const { session } = a.owner
  const minted = async (role: string) => withBearer(await mintFor(plane, project, role))
  const asIssuer = {
    iss: sessionIssuer.issuer,
    aud: sessionIssuer.audience,
    email: a.owner.email,
    email_verified: true,
  }
  return {
    'no credential': target => [withHeaders(target)],
    'Bearer empty / Basic / lower-case scheme without token': target =>
      ['Bearer', 'Bearer ', 'Bearer  ', 'bearer', 'bearer ', `Basic ${btoa(`${a.owner.email}:${a.owner.password}`)}`]
        .concat([session, `Basic ${session}`, `Token ${session}`, `Bearer${session}`, `Bearer ${session} x`])
        .map(value => withHeaders(target, ['Authorization', value])),
    'random 64-char token': target => [
      withHeaders(target, bearer('f'.repeat(64))),
      withHeaders(target, bearer(`sess_${'A'.repeat(43)}`)),
    ],
    'own project API key': withBearer(project.apiKey),
    'own minted JWT role=user': await minted('user'),
    'own minted JWT role=dashboard-service': await minted('dashboard-service'),
    'own minted JWT role=admin': await minted('admin'),
    'external-IdP JWT': target => [
      withHeaders(target, bearer(world.externalToken())),
      withHeaders(target, bearer(world.externalToken({ ...asIssuer, sub: a.owner.id }))),
    ],
    'X-Admin-Secret only (valid)': target => [withHeaders(target, ['X-Admin-Secret', plane.adminSecret])],
    'expired session': withBearer(await expiredSession(world)),
    'session after logout / revocation': withBearer(await endedSession(world)),
    'session token in query string or cookie of another origin': target => [
      ...['session_token', 'session', 'access_token', 'token', 'authorization'].map(name =>
        requestTo({ ...target, query: `${target.query ? `${target.query}&` : '?'}${name}=${session}` }, ids),
      ),
      withHeaders(
        target,
        ['Cookie', `session=${session}; session_token=${session}; sallyport_session=${session}`],
        ['Origin', 'https://evil.example.com'],
      ),
      withHeaders(target, ['X-Session-Token', session], ['X-Authorization', `Bearer ${session}`]),
    ],
  }
}

async function expiredSession({ plane, a }: TwoTenants): Promise<string> {
  const session = await plane.signIn(a.owner.email, a.owner.password)
  const digest = tokenDigest(session)
  await plane.query('update sessions set expires_at = ? where token_digest = ?', [Date.now() - 1, digest])
  return session
}

async function endedSession({ plane, a }: TwoTenants): Promise<string> {
  const session = await plane.signIn(a.owner.email, a.owner.password)
  await plane.call('DELETE', '/auth/v1/sessions/current', { session })
  return session
}

/** Tenant B's owner, who is somebody, but nobody of A. */
function otherTenant(world: TwoTenants): Record<string, Caller> {
  const { a, b } = world
  const ofA = idsFor(world, a)
  const ofB = idsFor(world, b)
  const as = bearer(b.owner.session)
  const spoofed = [
    ['X-Tenant-Id', a.id],
    ['X-Project-Id', a.projects[0].id],
    ['X_Tenant_Id', a.id],
    ['X-End-User-Id', a.owner.id],
    ['X-User-Id', a.owner.id],
    ['X-Role', 'owner'],
  ] as const
  const unknown = Object.fromEntries(Object.keys(ofA).map(name => [name, unknownId]))
  const nested = (target: Target, foreign: Ids) =>
    ['keyId', 'tierId', 'userId', 'number', 'invitationId', 'webhookId', 'serviceAccountId']
      .filter(name => target.pattern.includes(`:${name}`) && /:(tenant|project)Id/.test(target.pattern))
      .map(name => requestTo(target, { ...ofB, [name]: foreign[name] ?? '' }, { headers: [as] }))
  return {
    'valid session of tenant B, ids of tenant A': target => [requestTo(target, ofA, { headers: [as] })],
    'valid session of tenant B + X-Tenant-Id/X-Project-Id headers of A': target => [
      requestTo(target, ofA, { headers: [as, ...spoofed] }),
    ],
    'valid session of tenant B, random UUID ids': target => [requestTo(target, unknown, { headers: [as] })],
    'valid session, id = not-a-uuid / 0 / -1 / ..%2f / 1e999 / 4 KiB / NUL': target =>
      idNames
        .filter(name => target.pattern.includes(`:${name}`))
        .flatMap(name => oddIds.map(odd => requestTo(target, { ...ofB, [name]: odd }, { headers: [as] }))),
    'own project id in path, child id belongs to another project of ANOTHER tenant': target => nested(target, ofA),
    'own project id in path, child id belongs to another project of the SAME tenant': target =>
      nested(target, idsFor(world, b, b.projects[1])),
    'valid session, body carries id, tenant_id, project_id, status, role, created_at, deployed_at of A':
      async target => {
        const spare = await world.makeSpare()
        const request = requestTo(target, idsFor(world, spare), { headers: [as] })
        return [{ ...request, body: claimingBody(world, request.body) }]
      },
  }
}

/** What is asked for goes first, where it has a meaning of its own. */
function claimingBody({ a }: TwoTenants, good: unknown): Record<string, unknown> {
  const claims = {
    id: a.projects[0].id,
    tenant_id: a.id,
    tenantId: a.id,
    project_id: a.projects[0].id,
    projectId: a.projects[0].id,
    owned: { tenant: { id: a.id }, project: { id: a.projects[0].id } },
    user_id: a.owner.id,
    key_id: a.projects[0].keyId,
    status: 'suspended',
    plan: 'pro',
    role: 'owner',
    created_at: '2001-01-01T00:00:00.000Z',
    deployed_at: '2001-01-01T00:00:00.000Z',
  }
  return { ...claims, ...(good as Record<string, unknown> | undefined) }
}

/** Everybody at the operator's door who has not the operator's secret, or has it in the wrong place. */
function operators(world: TwoTenants): Record<string, Caller> {
  const { plane, a } = world
  const ids = idsFor(world, a)
  const secret = plane.adminSecret
  const with_ = (target: Target, ...headers: (readonly [string, string])[]) =>
    requestTo(target, ids, { headers: [...headers, world.forwarded()] })
  const presenting = (target: Target, ...values: string[]) =>
    with_(target, ...values.map(value => ['X-Admin-Secret', value] as const))
  const flipped = `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`
  const onHosts = (target: Target) => [
    { ...presenting(target, secret), host: a.projects[0].host },
    { ...presenting(target, secret), path: `/p/${a.projects[0].slug}${presenting(target, secret).path}` },
  ]
  return {
    'no header': target => [with_(target)],
    'empty header': target => [presenting(target, '')],
    'wrong secret same length': target => [presenting(target, flipped)],
    'secret prefix': target => [presenting(target, secret.slice(0, -1)), presenting(target, secret.slice(0, 1))],
    'secret + suffix': target => [presenting(target, `${secret}x`), presenting(target, `${secret}, ${secret}`)],
    'two X-Admin-Secret headers (one right)': target => [
      presenting(target, secret, 'wrong'),
      presenting(target, 'wrong', secret),
      presenting(target, secret, ''),
      presenting(target, secret, secret),
    ],
    'secret in another place': target => [
      with_(target, bearer(secret)),
      with_(target, ['Cookie', `x-admin-secret=${secret}`]),
      with_({ ...target, query: `?x-admin-secret=${secret}&admin_secret=${secret}` }),
      presenting(target, secret.toUpperCase()),
    ],
    'minted JWT role=admin': async target => {
      const token = await mintFor(plane, a.projects[0], 'admin')
      return [with_(target, bearer(token)), with_(target, bearer(token), ['X-Admin-Secret', token])]
    },
    'valid dashboard session': target => [
      with_(target, bearer(a.owner.session)),
      with_(target, bearer(a.owner.session), ['X-Admin-Secret', a.owner.session]),
    ],
    'valid secret on a project host': onHosts,
    'valid secret via X-HTTP-Method-Override / path //': target => {
      const request = presenting(target, secret)
      const overridden = [...(request.headers ?? []), ['X-HTTP-Method-Override', target.method] as const]
      // By its own method it would be a request like any other of the operator.
      const others = ['PATCH', 'DELETE'].filter(method => method !== target.method)
      return [
        ...others.map(method => ({ ...request, method, headers: overridden })),
        ...[`/${request.path}`, request.path.replace('/v1/', '//v1/'), request.path.replace('/v1/', '/./v1/')].map(
          path => ({ ...request, path }),
        ),
        ...[request.path.replace('/v1/', '/x/../v1/'), request.path.toUpperCase(), `${request.path}/`].map(path => ({
          ...request,
          path,
        })),
      ]
    },
  }
}

/** People of A who may do less than its owner, or nothing any more; and A's owner at the wrong door. */
async function fellows(world: TwoTenants): Promise<Record<string, Caller>> {
  const { a, b } = world
  const ids = idsFor(world, a)
  const as = (session: string) => (target: Target) => [requestTo(target, ids, { headers: [bearer(session)] })]
  const outsider = await world.plane.makePerson()
  return {
    viewer: as(world.viewer.session),
    member: as(world.member.session),
    'former owner': as(world.former.session),
    outsider: as(outsider.session),
    'valid session on a project host': target => [
      { ...requestTo(target, ids, { headers: [bearer(a.owner.session)] }), host: a.projects[0].host },
      { ...requestTo(target, ids, { headers: [bearer(a.owner.session)] }), host: b.projects[0].host },
    ],
    'valid session on an unknown host': target => [
      { ...requestTo(target, ids, { headers: [bearer(a.owner.session)] }), host: 'no-such-project-1234.localhost' },
      { ...requestTo(target, ids, { headers: [bearer(a.owner.session)] }), host: 'example.com' },
    ],
  }
}
