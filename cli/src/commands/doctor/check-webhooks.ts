// Whether the webhooks of a tenant get their deliveries.
import type { ManagementRoutes } from '@sallyport/sdk'
import type { Context } from '../../frame/context.ts'
import { examine, type Finding, failed, ok, warning } from './finding.ts'

const path = '/auth/v1/tenants/{tenantId}/webhooks'
type Webhook = ManagementRoutes[`GET ${typeof path}`]['output'][number]

export async function checkWebhooks(context: Context): Promise<Finding[]> {
  return await examine('Webhooks', 'webhooks', async () => {
    const { tenant_id: tenantId } = await context.project()
    const webhooks = await context.client().request('GET', path, { path: { tenantId } })
    if (webhooks.length === 0) return [ok('Webhooks', 'there are none')]
    return await Promise.all(webhooks.map(webhook => checkWebhook(context, tenantId, webhook)))
  })
}

async function checkWebhook(context: Context, tenantId: string, { id: webhookId, url }: Webhook): Promise<Finding> {
  const input = { path: { tenantId, webhookId }, query: { limit: 20 } }
  const { data } = await context.client().request('GET', `${path}/{webhookId}/deliveries`, input)
  const tried = data.filter(({ attempts }) => attempts > 0)
  const bad = tried.filter(({ status }) => status !== 'delivered')
  const [last] = bad
  if (last === undefined) return ok('Webhooks', `${url} got all of its last ${tried.length} deliveries`)
  const answer = last.last_status === null ? 'it did not answer' : `it answered ${last.last_status}`
  const words = `${url} did not take ${bad.length} of its last ${tried.length} deliveries: ${answer}`
  // The newest one says whether it is over.
  return tried[0] === last ? failed('Webhooks', words, 'webhooks') : warning('Webhooks', words, 'webhooks')
}
