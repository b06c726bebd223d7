// The last hour of a project: answers, rejected requests and errors show by themselves, with their reasons.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorResponse, say } from '../../../server/test/support/simulated/provider-answers.ts'
import { type ScriptedUpstream, startUpstream } from '../../../server/test/support/simulated/scripted-upstream.ts'
import { type Dashboard, startDashboard } from '../support/dashboard.ts'
import { adminSecret, askAs, createStage, createViewer, type Stage } from '../support/stage.ts'

const completions = 'POST /v1/chat/completions'

let provider: ScriptedUpstream
let dashboard: Dashboard
let stage: Stage
let apiKey: string
beforeAll(async () => {
  provider = await startUpstream()
  dashboard = await startDashboard({
    ADMIN_SECRET: adminSecret,
    OPENAI_BASE_URL: provider.url,
    PLATFORM_OPENAI_API_KEY: 'sk-a-key-of-this-test',
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
  })
  stage = await createStage(dashboard)
  const created = await dashboard.call('POST', `/auth/v1/projects/${stage.projectId}/api-keys`, { name: 'backend' })
  apiKey = created['api_key'] ?? ''
})
afterAll(async () => {
  await dashboard?.stop()
  await provider?.close()
})

const ask = () => askAs(dashboard, { ...stage, apiKey, uid: 'ada', text: 'Hello' })

test('requests show while the page is open, with errors and reasons', async () => {
  const viewer = await createViewer(dashboard, stage.tenantId)
  await dashboard.visit(
    `/app/projects/${stage.projectId}/activity`,
    async screen => {
      await screen.waitForText('No requests in the last hour')
      await screen.expectAccessible()
      provider.on(completions, say('openai', { text: ['Hel', 'lo'] }, false))
      expect([await ask(), await ask()]).toEqual([200, 200])
      provider.on(completions, errorResponse('openai', 500, 'broken'))
      expect(await ask()).toBe(502)
      const forged = await fetch(`${dashboard.product.baseUrl}/p/${stage.slug}/v1/models`, {
        headers: { authorization: 'Bearer not.a.token' },
      })
      expect(forged.status).toBe(401)
      const figure = (title: string) =>
        screen.page.$$eval(
          'dl div',
          (all, wanted) => all.find(one => one.textContent?.startsWith(wanted))?.textContent,
          title,
        )
      await screen.waitForText('4\n1 rejected')
      await expect.poll(() => figure('Failed')).toMatch(/^Failed1/)
      expect(await figure('Latency')).toMatch(/median; p95 \d/)
      const reasons = await screen.page.$$eval('main table', tables =>
        tables
          .filter(table => table.caption?.textContent === 'Rejected and failed requests by reason')
          .flatMap(table =>
            [...(table.tBodies[0]?.rows ?? [])].map(row => [...row.cells].slice(0, 3).map(cell => cell.textContent)),
          ),
      )
      await screen.waitForText('The token is invalid: its signature, issuer or audience')
      const { totals } = await dashboard.call<Activity>('GET', `/auth/v1/projects/${stage.projectId}/activity`)
      expect(reasons.sort()).toEqual(
        [
          ...Object.keys(totals.errors).map(reason => [reason, 'Failed', '1']),
          ...Object.keys(totals.refusals).map(reason => [reason, 'Rejected', '1']),
        ].sort(),
      )
      expect(reasons).toHaveLength(2)
      await screen.expectAccessible()
      expect(await screen.text()).not.toContain('No requests in the last hour')
    },
    viewer,
  )
})

interface Activity {
  totals: { errors: Record<string, number>; refusals: Record<string, number> }
}
