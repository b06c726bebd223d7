// What each role is shown on every screen: exactly the buttons whose request the API does not refuse to the role.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, hostileTexts, type Screen } from './support/dashboard.ts'
import { type HostileInstallation, hostileUser, invitedEmail } from './support/hostile-installation.ts'
import { type HostileStage, startHostileStage } from './support/hostile-stage.ts'
import { goTo, visits } from './support/screens.ts'
import { addMember } from './support/stage.ts'

const inProject = '/app/projects/$projectId'
const inTenant = '/app/tenants/$tenantId'
const project = '/auth/v1/projects/{projectId}'
const tenant = '/auth/v1/tenants/{tenantId}'
const own = '/auth/v1/users/current'
const settings = `PUT ${project}/settings`
const keys = `POST ${project}/api-keys`
const tier = `${project}/tiers/{tierId}`
const prompt = `${project}/prompts/{promptName}`
const user = `${project}/users/{uid}`
const provider = `${tenant}/providers/openai`
const webhooks = `${tenant}/webhooks`
const customProvider = `${tenant}/providers/custom/{slug}`

/**
 * The buttons of each screen, and the request that each leads to. `…` is a name or a number. A screen that is not here
 * has no buttons.
 */
const buttons: Record<string, Record<string, string>> = {
  [`${inProject}/`]: { 'Copy address': `GET ${project}` },
  [`${inProject}/general`]: {
    Rename: `PATCH ${project}`,
    'Suspend project': `POST ${project}/suspend`,
  },
  [`${inProject}/first-steps`]: {
    'Use this model': `PUT ${project}/settings/model`,
    Ask: `POST ${project}/tokens`,
    'Allow and deploy': settings,
    'Create an API key': keys,
    'Copy server code': keys,
    'Copy page code': keys,
    'Allow anonymous users and deploy': settings,
    'Copy page without a server': keys,
  },
  [`${inProject}/requests`]: {
    Show: `GET ${project}/requests`,
    Pause: `GET ${project}/requests`,
    Download: `GET ${project}/requests/export`,
  },
  [`${inProject}/alerts`]: { 'Add alert': `PUT ${project}/alerts` },
  [`${inProject}/requests/$requestId`]: {
    'Copy request as JSON': `GET ${project}/requests`,
    'Copy link': `GET ${project}/requests`,
  },
  [`${inProject}/usage`]: {
    Show: `GET ${project}/usage`,
    'Download CSV': `GET ${project}/usage/export`,
    'Download NDJSON': `GET ${project}/usage/export`,
  },
  [`${inProject}/end-users`]: { Search: `GET ${project}/users` },
  [`${inProject}/end-users/user`]: {
    'Save budgets': `PUT ${user}/budgets`,
    // Needs a token in place of a role.
    'Read conversations': `GET ${project}/users`,
    'Unblock user': `DELETE ${user}/block`,
    'Revoke tokens': `POST ${user}/revoke-tokens`,
    'Erase user': `DELETE ${user}`,
  },
  [`${inProject}/playground`]: {
    Run: `POST ${project}/playground`,
    Reply: `POST ${project}/playground`,
    Stop: `POST ${project}/playground`,
    'Show as code': `POST ${project}/playground`,
  },
  [`${inProject}/models`]: {
    'Deploy the draft model': `POST ${project}/settings/model/publish`,
    'Discard the draft model': `DELETE ${project}/settings/model/draft`,
    'Use as draft: …': `PUT ${project}/settings/model/draft`,
    'Show all …': `GET ${tenant}/providers/models`,
  },
  [`${inProject}/settings`]: {
    'Store the secret': `PUT ${project}/attestation`,
    Add: settings,
  },
  [`${inProject}/deployments`]: { 'Roll back to deployment 1': `POST ${project}/settings/deployments/1/rollback` },
  [`${inProject}/tiers`]: { 'Move … up': `PUT ${tier}`, 'Move … down': `PUT ${tier}`, 'Delete …': `DELETE ${tier}` },
  [`${inProject}/tiers/new`]: { 'Create tier': `POST ${project}/tiers`, 'Add override': `POST ${project}/tiers` },
  [`${inProject}/tiers/$tierId`]: {
    'Save tier': `PUT ${tier}`,
    'Add override': `PUT ${tier}`,
    'Remove override: System prompt': `PUT ${tier}`,
    'Remove override: Blocklist': `PUT ${tier}`,
  },
  [`${inProject}/prompts`]: { 'Delete hostile': `DELETE ${prompt}` },
  [`${inProject}/prompts/new`]: { 'Create prompt': `PUT ${prompt}` },
  [`${inProject}/prompts/one/$promptName`]: { 'Save prompt': `PUT ${prompt}` },
  [`${inProject}/guardrails`]: {
    'Mask all types': settings,
    'Add a type': settings,
    'Remove …': settings,
    'Add to the blocklist': settings,
    'Add to the blocklist for answers': settings,
    Try: `POST ${project}/guardrails/try`,
  },
  [`${inProject}/guardrail-events`]: { Pause: `GET ${tenant}/members` },
  [`${inProject}/api-keys`]: {
    'New API key': keys,
    'Rotate …': `${keys}/{keyId}/rotate`,
    'Revoke …': `${keys}/{keyId}/revoke`,
  },
  [`${inProject}/identity-provider`]: {
    Change: `PUT ${project}/identity-provider`,
    Inspect: `POST ${project}/inspect-token`,
    'Remove the provider': `DELETE ${project}/identity-provider`,
  },
  [`${inProject}/diagnostics`]: { 'Allow …': settings },
  [`${inTenant}/projects`]: { 'New project': `POST ${tenant}/projects` },
  [`${inTenant}/provider-keys`]: {
    'Add key': `PUT ${provider}`,
    'Replace the OpenAI key': `PUT ${provider}`,
    'Remove the OpenAI key': `DELETE ${provider}`,
    'Delete …': `DELETE ${customProvider}`,
  },
  [`${inTenant}/provider-keys/new-custom`]: { 'Check and store the provider': `PUT ${customProvider}` },
  [`${inTenant}/provider-keys/custom/$slug`]: {
    'Check and store the provider': `PUT ${customProvider}`,
    'Edit …': `PUT ${customProvider}`,
    'Leave out …': `PUT ${customProvider}`,
    'Add a model': `PUT ${customProvider}`,
  },
  [`${inTenant}/provider-keys/clouds/$cloud`]: {
    'Check and store': `PUT ${tenant}/providers/{cloud}`,
    'Check only': `POST ${tenant}/providers/{cloud}/validate`,
    'Add a deployment': `PUT ${tenant}/providers/{cloud}`,
  },
  [`${inTenant}/prices`]: {
    'Set a price': `PUT ${tenant}/prices`,
    'Change the price of …': `PUT ${tenant}/prices`,
    'Delete the price of …': `DELETE ${tenant}/prices`,
  },
  [`${inTenant}/budgets`]: { 'Save budgets': `PUT ${tenant}/budgets` },
  [`${inTenant}/members`]: {
    'Invite a member': `POST ${tenant}/members`,
    'Change role of …': `PATCH ${tenant}/members/{otherId}`,
    'Reset link for …': `POST ${tenant}/members/{otherId}/reset-link`,
    'Remove …': `DELETE ${tenant}/members/{otherId}`,
    'Leave the tenant': `DELETE ${tenant}/members/{ownId}`,
    'Withdraw the invitation for …': `DELETE ${tenant}/invitations/{otherId}`,
    'New role': `PUT ${tenant}/roles/{roleName}`,
  },
  [`${inTenant}/service-accounts`]: { 'New service account': `POST ${tenant}/service-accounts` },
  [`${inTenant}/single-sign-on`]: {
    'Copy redirect URI': `GET ${tenant}`,
    'Set up': `PUT ${tenant}/sso`,
    Test: `POST ${tenant}/sso/test`,
  },
  [`${inTenant}/meter`]: {
    'Send a test': `POST ${tenant}/meter/test`,
    Save: `PUT ${tenant}/meter`,
    'Set customer': `PUT ${tenant}/meter/subjects`,
    'Remove the customer of …': `PUT ${tenant}/meter/subjects`,
    'Delete the meter': `DELETE ${tenant}/meter`,
  },
  [`${inTenant}/webhooks`]: {
    'New webhook': `POST ${webhooks}`,
    'Send a test to …': `POST ${webhooks}/{webhookId}/test`,
    'Rotate secret of …': `POST ${webhooks}/{webhookId}/rotate`,
    'Delete …': `DELETE ${webhooks}/{webhookId}`,
  },
  [`${inTenant}/webhooks/$webhookId`]: { 'Send a test to …': `POST ${webhooks}/{webhookId}/test` },
  [`${inTenant}/audit`]: {
    'Download NDJSON': `GET ${tenant}/audit/export`,
    'Download OCSF': `GET ${tenant}/audit/export`,
    'Verify chain': `GET ${tenant}/audit/verify`,
  },
  [`${inTenant}/settings`]: {
    Rename: `PATCH ${tenant}`,
    'Export the tenant': `GET ${tenant}/export`,
    Save: `PUT ${tenant}/sign-in-rules`,
    'Delete tenant': `DELETE ${tenant}`,
  },
  '/app/account': {
    'Change password': `PUT ${own}/password`,
    'Add a passkey': `POST ${own}/passkeys`,
    'Set up an authenticator app': `POST ${own}/totp`,
    End: `DELETE ${own}/sessions`,
    'Sign out everywhere else': `DELETE ${own}/sessions`,
    'Sign out everywhere': `DELETE ${own}/sessions`,
  },
  // A viewer creates a project in a tenant of their own.
  '/app/start': { 'Create project': 'POST /auth/v1/tenants' },
}
/** On the general screen of a suspended project. */
const buttonsWhileSuspended = {
  Rename: `PATCH ${project}`,
  'Reactivate project': `POST ${project}/reactivate`,
  'Delete project': `DELETE ${project}`,
}

let stage: HostileStage
let dashboard: Dashboard
let installation: HostileInstallation
let suspendedId: string
beforeAll(async () => {
  stage = await startHostileStage()
  ;({ dashboard, installation } = stage)
  const { call } = dashboard
  const { tenantId, projectId } = installation
  await call('PUT', `/auth/v1/tenants/${tenantId}/providers/openai`, { api_key: 'sk-a-simulated-key-of-a-tenant' })
  await call('PUT', `/auth/v1/projects/${projectId}/settings/model/draft`, { provider_model: 'openai/gpt-4.1' })
  suspendedId = (await call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Suspended' }))['id'] ?? ''
  await call('POST', `/auth/v1/projects/${suspendedId}/suspend`)
})
afterAll(() => stage?.stop())

test.for([
  { role: 'owner', managed_by: null },
  { role: 'member', managed_by: null },
  { role: 'viewer', managed_by: null },
  // The last one: the others find the project as it was.
  { role: 'owner', managed_by: 'file' },
] as const)(
  'every screen shows the role $role the buttons that the API allows, where $managed_by manages the project',
  async ({ role, managed_by }) => {
    await dashboard.call('PUT', `/auth/v1/projects/${installation.projectId}/draft`, { managed_by })
    const account = role === 'owner' ? hostileUser : await addMember(dashboard, installation.tenantId, role)
    // A second session, which can be ended.
    const session = await dashboard.openSession(account.email, account.password)
    const { id: ownId = '' } = await dashboard.call('GET', '/auth/v1/sessions/current', undefined, session)
    const ids = { ...installation, ownId }
    const concerned = managed_by === null ? /^\/app\/(?!operator)/ : /^\/app\/projects\//
    const known = visits.filter(({ route, leadsTo }) => concerned.test(route) && leadsTo === undefined)
    await dashboard.visit(
      '/app',
      async screen => {
        await screen.page.waitForSelector('main h1')
        for (const visit of known) {
          await goTo(screen, visit, installation)
          await expectButtons(screen, visit.route, await findAllowed(buttons[visit.route] ?? {}, ids, session))
        }
        const suspended = { ...ids, projectId: suspendedId }
        await goTo(screen, { route: `${inProject}/general`, shows: [] }, suspended)
        await screen.waitForText('Removed while suspended')
        await expectButtons(screen, 'suspended', await findAllowed(buttonsWhileSuspended, suspended, session))
      },
      account,
    )
  },
)

async function expectButtons(screen: Screen, route: string, allowed: readonly string[]): Promise<void> {
  await expect.poll(() => listButtons(screen), { message: route }).toEqual([...allowed].sort())
}

/** Also those that are off now: the role is no reason for that. Tabs, and what arranges or saves a table, are everybody's. */
async function listButtons(screen: Screen): Promise<string[]> {
  const names = await screen.page.$$eval('main button:not(:disabled, thead *, [role=tab], [data-table-tool])', all =>
    all.map(button => button.getAttribute('aria-label') ?? button.textContent),
  )
  return [...new Set(names.map(hideNames))].sort()
}

/** The markup of emails contains no other name. */
const emails = [hostileUser.email, invitedEmail, 'owner@example.com', 'member@example.com', 'viewer@example.com']

function hideNames(text: string): string {
  const hidden = [...emails, ...hostileTexts].reduce((shown, name) => shown.replace(name, '…'), text)
  return hidden.replace(/(openai\/|custom-|hostile-|https?:)\S+$/, '…').replace(/^Show all \d+$/, 'Show all …')
}

async function findAllowed(
  requests: Record<string, string>,
  ids: Record<string, string>,
  session: string,
): Promise<string[]> {
  const allowed = []
  for (const [name, request] of Object.entries(requests)) {
    if (await isAllowed(request, ids, session)) allowed.push(name)
  }
  return allowed
}

const anyId = '00000000-0000-4000-8000-000000000000'

/**
 * As the dashboard asks, with the cookie. Writes have a body that no route accepts, which is read only once the role is
 * found to be enough, and no file manages what they change.
 */
async function isAllowed(request: string, ids: Record<string, string>, session: string): Promise<boolean> {
  const [method = '', path = ''] = request.split(' ')
  const named = path.replace(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? (param === 'uid' ? 'somebody' : anyId))
  const headers = { cookie: `sallyport=${session}`, 'x-sallyport': '1' }
  const unreadable = { method, headers: { ...headers, 'content-type': 'text/plain' }, body: 'unreadable' }
  const response = await fetch(dashboard.product.baseUrl + named, method === 'GET' ? { headers } : unreadable)
  const isManaged = (await response.text()).includes('"managed_by_file"') && response.status === 409
  expect([403, isManaged ? 409 : 403, method === 'GET' ? 200 : 415], request).toContain(response.status)
  return response.status !== 403 && !isManaged
}
