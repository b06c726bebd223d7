// Whether a project answers: model, deployment, API keys, the origin of a page, a token.
import type { Context } from '../../frame/context.ts'
import { readChanges } from '../settings.ts'
import { examine, type Finding, failed, ok, warning } from './finding.ts'

const dayMs = 86_400_000
const oldDays = 365
const soonDays = 14
const timeoutMs = 10_000

export async function checkProject(context: Context, origin: string | undefined): Promise<Finding[]> {
  const checks = [
    examine('Settings', 'concepts', () => checkSettings(context)),
    examine('API keys', 'security', () => checkKeys(context)),
    ...(origin === undefined ? [] : [examine('CORS', 'troubleshooting', () => checkOrigin(context, origin))]),
  ]
  return (await Promise.all(checks)).flat()
}

async function checkSettings(context: Context): Promise<Finding[]> {
  const { id: projectId, status, slug } = await context.project()
  if (status === 'suspended') return [failed('Settings', `The project ${slug} is suspended`, 'account-and-projects')]
  const path = '/auth/v1/projects/{projectId}/settings'
  const draft = await context.client().request('GET', path, { path: { projectId } })
  if (draft.deployed_at === null) return [failed('Settings', `${slug} was never deployed`, 'concepts')]
  const { deployed } = await context.client().request('GET', `${path}/warnings`, { path: { projectId } })
  const found = deployed.map(({ message }) => failed('Settings', message, 'money'))
  const changes = await readChanges(context)
  const model = draft.provider_model ?? 'the model of the platform'
  if (changes.length > 0) {
    found.push(warning('Settings', `${changes.length} changes of the draft of ${slug} are not deployed`, 'concepts'))
  }
  return found.length > 0 ? found : [ok('Settings', `${slug} is live with ${model}`)]
}

async function checkKeys(context: Context): Promise<Finding[]> {
  const { id: projectId } = await context.project()
  const path = '/auth/v1/projects/{projectId}/api-keys'
  const keys = await context.client().request('GET', path, { path: { projectId } })
  const findings = keys.flatMap(({ id, name, createdAt, expires_at: expiresAt }) => {
    const label = name ?? id
    const ageDays = Math.floor((Date.now() - Date.parse(createdAt)) / dayMs)
    const leftDays = expiresAt === null ? null : Math.floor((Date.parse(expiresAt) - Date.now()) / dayMs)
    if (leftDays !== null && leftDays < 0) return [failed('API keys', `${label} has expired`, 'security')]
    if (leftDays !== null && leftDays < soonDays) {
      return [warning('API keys', `${label} expires in ${leftDays} days`, 'security')]
    }
    return ageDays > oldDays ? [warning('API keys', `${label} is ${ageDays} days old`, 'security')] : []
  })
  return findings.length === 0 ? [ok('API keys', `${keys.length} keys, none old or expiring`)] : findings
}

/** Asks as the browser of a page of that origin does. */
async function checkOrigin({ url, project }: Context, origin: string): Promise<Finding[]> {
  const { slug } = await project()
  const response = await fetch(`${url}/p/${slug}/v1/chat/completions`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
    signal: AbortSignal.timeout(timeoutMs),
  })
  await response.body?.cancel()
  const allowed = response.headers.get('access-control-allow-origin')
  if (response.ok && (allowed === origin || allowed === '*')) return [ok('CORS', `pages of ${origin} may call ${slug}`)]
  return [failed('CORS', `${origin} is not among the cors_origins that are deployed for ${slug}`, 'troubleshooting')]
}

/** Of the token's own words: whether its signature is right, only the gateway knows. */
export function checkToken(token: string): Finding[] {
  const [, payload = ''] = token.split('.')
  let claims: { exp?: unknown; uid?: unknown }
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  } catch {
    return [failed('Token', 'SALLYPORT_CHECKED_TOKEN holds no token of a project', 'troubleshooting')]
  }
  const leftSeconds = Math.floor(Number(claims.exp) - Date.now() / 1000)
  if (!(leftSeconds > 0)) return [failed('Token', 'The token has expired', 'troubleshooting')]
  return [ok('Token', `of ${String(claims.uid)}, for ${leftSeconds} more seconds`)]
}
