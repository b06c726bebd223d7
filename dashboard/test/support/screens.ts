// Every screen of the dashboard with the addresses at which a test visits it, and what it must show of the hostile
// texts. A test compares the list with the routes of the router.
import { hostileTexts, type Screen } from './dashboard.ts'
import { type Address, goToRoute } from './go-to-route.ts'
import {
  type HostileInstallation,
  hostileUser,
  invitedEmail,
  rejectedKeyId,
  rejectedOrigin,
  tierNames,
  userAgents,
} from './hostile-installation.ts'
import { adminSecret } from './stage.ts'

interface Visit extends Address {
  /** As text, or as the value of a field. */
  shows: readonly string[]
}

const [name = ''] = hostileTexts
const start = '/app/tenants/$tenantId/projects'
export const firstOfOperator = '/app/operator/'

const inProject: Omit<Visit, 'leadsTo'>[] = [
  { route: '/', shows: [name] },
  { route: '/first-steps', shows: [name] },
  { route: '/activity', shows: [] },
  { route: '/requests', shows: hostileTexts },
  { route: '/requests/compare', shows: [] },
  { route: '/requests/$requestId', shows: [name] },
  { route: '/alerts', shows: [] },
  { route: '/usage', search: '?by=uid', shows: hostileTexts },
  { route: '/end-users', shows: hostileTexts },
  { route: '/usage', search: '?by=tier', shows: tierNames },
  { route: '/usage/days', shows: ['openai/gpt-4o-mini'] },
  ...hostileTexts.map((uid, index) => ({
    route: '/end-users/user',
    search: `?uid=${encodeURIComponent(uid)}`,
    // The reason of the block is the text before.
    shows: [uid, `Reason: ${hostileTexts.at(index - 1)}`],
  })),
  { route: '/playground', shows: [] },
  { route: '/models', shows: [] },
  { route: '/settings', shows: hostileTexts },
  { route: '/deployments', shows: [...hostileTexts, ...tierNames, hostileUser.email] },
  { route: '/tiers', shows: tierNames },
  { route: '/tiers/new', shows: [] },
  { route: '/tiers/$tierId', shows: [name, ...hostileTexts] },
  { route: '/prompts', shows: ['hostile'] },
  { route: '/prompts/new', shows: [] },
  { route: '/prompts/one/$promptName', shows: ['hostile'] },
  { route: '/guardrails', shows: hostileTexts },
  { route: '/guardrail-events', shows: ['1 term'] },
  { route: '/guardrail-report', shows: [] },
  { route: '/api-keys', shows: hostileTexts },
  { route: '/identity-provider', shows: hostileTexts.slice(0, 2) },
  { route: '/diagnostics', shows: [rejectedKeyId, rejectedOrigin] },
  { route: '/general', shows: [name] },
]

export const visits: readonly Visit[] = [
  ...inProject.map(({ route, ...visit }) => ({ route: `/app/projects/$projectId${route}`, ...visit })),
  { route: '/app/tenants/$tenantId/', shows: hostileTexts.slice(0, 3) },
  { route: start, shows: hostileTexts },
  { route: '/app/tenants/$tenantId/provider-keys', shows: [name] },
  { route: '/app/tenants/$tenantId/provider-keys/new-custom', shows: [] },
  { route: '/app/tenants/$tenantId/provider-keys/custom/$slug', shows: hostileTexts },
  { route: '/app/tenants/$tenantId/provider-keys/clouds/$cloud', shows: [] },
  { route: '/app/tenants/$tenantId/members', shows: [hostileUser.email, invitedEmail] },
  { route: '/app/tenants/$tenantId/prices', shows: ['custom-hostile/hostile-0'] },
  { route: '/app/tenants/$tenantId/budgets', shows: [] },
  { route: '/app/tenants/$tenantId/meter', shows: hostileTexts.slice(0, 2) },
  { route: '/app/tenants/$tenantId/events', shows: hostileTexts },
  { route: '/app/tenants/$tenantId/service-accounts', shows: [] },
  { route: '/app/tenants/$tenantId/single-sign-on', shows: [] },
  { route: '/app/tenants/$tenantId/webhooks', shows: [] },
  { route: '/app/tenants/$tenantId/audit', shows: [] },
  { route: '/app/tenants/$tenantId/webhooks/$webhookId', shows: [] },
  { route: '/app/tenants/$tenantId/settings', shows: [name] },
  { route: '/app/account', shows: [hostileUser.email, ...userAgents] },
  { route: '/app/start', shows: hostileTexts },
  { route: '/app/', leadsTo: start, shows: hostileTexts },
  { route: '/invite', search: `#token=${encodeURIComponent(name)}`, shows: [] },
  { route: '/reset', search: `#token=${encodeURIComponent(name)}`, shows: [] },
  { route: '/device', search: `#code=${encodeURIComponent(name)}`, shows: [] },
  { route: '/sso', search: '?problem=sso_expired', shows: [] },
  { route: '/upgrade', shows: [] },
  { route: '/', leadsTo: start, shows: hostileTexts },
  { route: firstOfOperator, shows: [...hostileTexts, hostileUser.email] },
  { route: '/app/operator/overview', shows: [name] },
  { route: '/app/operator/projects', shows: hostileTexts },
  { route: '/app/operator/kill-switches', shows: hostileTexts },
  { route: '/app/operator/catalog', shows: hostileTexts },
  { route: '/app/operator/usage', shows: [name] },
  { route: '/app/operator/access', shows: [hostileUser.email, ...hostileTexts] },
  { route: '/app/operator/audit', shows: [hostileUser.email] },
]

/** Goes there as a link does, so that the page stays, and waits until everything is read. */
export const goTo = ({ page }: Screen, visit: Visit, ids: HostileInstallation): Promise<void> =>
  goToRoute(page, visit, { ...ids })

export async function enterAdminSecret(screen: Screen): Promise<void> {
  await screen.fill('Admin secret', adminSecret)
  await screen.click('Continue')
}
