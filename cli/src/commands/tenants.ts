// `tenants create`: the first step on a new installation; `whoami` lists the tenants.
import type { Command } from '../frame/command.ts'

export const tenantCommand: Command = {
  name: 'tenants create',
  summary: 'Create a tenant, whose owner you become',
  example: 'sallyport tenants create Acme',
  args: [['<name>', 'what people call it']],
  async run({ args: [name = ''] }, context) {
    const tenant = await context.client().request('POST', '/auth/v1/tenants', { body: { name } })
    return { json: tenant, text: `Created the tenant ${tenant.name}.\nNext: sallyport projects create NAME` }
  },
}
