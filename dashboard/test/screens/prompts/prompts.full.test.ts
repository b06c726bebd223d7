// Prompts: created, edited and deleted as drafts.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'

type Body = Record<string, unknown>
let dashboard: Dashboard
let projectId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  const tenantId = (await dashboard.call('POST', '/auth/v1/tenants', { name: 'Acme' }))['id'] ?? ''
  projectId = (await dashboard.call('POST', `/auth/v1/tenants/${tenantId}/projects`, { name: 'Chat' }))['id'] ?? ''
})
afterAll(() => dashboard?.stop())

const label = 'Messages, variables, model and parameters'
const read = async () => {
  const page = await dashboard.call<{ data: Body[] }>('GET', `/auth/v1/projects/${projectId}/prompts`)
  return page.data
}

test('a prompt is created, edited, and deleted from the draft', async () => {
  await dashboard.visit(`/app/projects/${projectId}/prompts`, async screen => {
    await screen.waitForText('No prompts')
    await screen.click('New prompt', 'link')
    await screen.fill('Name', 'summary')
    await screen.fill(label, '{')
    await screen.click('Create prompt')
    await screen.waitForText('This is not JSON.')
    await screen.fill(label, '{"messages":[{"role":"user","content":"Sum up {{text}}"}]}')
    await screen.click('Create prompt')
    await screen.waitForText('messages.0.content uses {{text}}, which variables must define')
    const template = {
      messages: [{ role: 'user', content: 'Sum up {{text}}' }],
      variables: { text: { type: 'string' } },
    }
    await screen.fill(label, JSON.stringify(template))
    await screen.expectAccessible()
    await screen.click('Create prompt')
    await screen.waitForText('The change of 1 prompt is not live yet.')
    expect(await read()).toMatchObject([{ name: 'summary', ...template }])
    await screen.expectAccessible()

    await screen.click('Edit summary', 'link')
    await screen.fill(label, JSON.stringify({ ...template, params: { temperature: 1 } }))
    await screen.click('Save prompt')
    await screen.waitForPath(`/app/projects/${projectId}/prompts`)
    await expect.poll(read).toMatchObject([{ params: { temperature: 1 } }])
    await dashboard.call('POST', `/auth/v1/projects/${projectId}/settings/deploy`)
    await screen.waitForText('All prompts are live as they stand here.')

    await screen.click('Delete summary')
    await screen.waitForText('Until the next deploy nothing changes.')
    await screen.submitDialog()
    await screen.waitForText('No prompts')
    expect(await read()).toEqual([])
  })
})
