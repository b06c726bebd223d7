// No screen moves what it has shown while it loads, on a phone, a tablet and a wide screen.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Dashboard, Screen } from './support/dashboard.ts'
import { type HostileInstallation, hostileUser } from './support/hostile-installation.ts'
import { type HostileStage, startHostileStage } from './support/hostile-stage.ts'
import { readShift, watchShift } from './support/layout-shift.ts'
import { enterAdminSecret, firstOfOperator, goTo, visits } from './support/screens.ts'

/** Half of what counts as good for a whole page: https://web.dev/articles/cls */
const maxShift = 0.05
const sizes = [
  { width: 390, height: 844, isMobile: true, hasTouch: true },
  { width: 834, height: 1112 },
  { width: 1440, height: 900 },
]

let stage: HostileStage
let dashboard: Dashboard
let installation: HostileInstallation
beforeAll(async () => {
  stage = await startHostileStage()
  ;({ dashboard, installation } = stage)
})
afterAll(() => stage?.stop())

test('no screen moves what it has shown while it loads, though the last response comes first', async () => {
  await dashboard.visit(
    '/app',
    async screen => {
      const addresses = [...(await collectAddresses(screen)), ...(await withoutDraft())]
      await watchShift(screen.page, 'last first')
      for (const size of sizes) {
        await screen.page.setViewport(size)
        for (const address of addresses) {
          await screen.page.goto(address)
          const { score, moved } = await readShift(screen.page)
          expect(score, [size.width, address, ...moved].join('\n')).toBeLessThanOrEqual(maxShift)
        }
      }
    },
    hostileUser,
  )
})

async function collectAddresses(screen: Screen): Promise<Set<string>> {
  const addresses = new Set<string>()
  for (const visit of visits) {
    await goTo(screen, visit, installation)
    if (visit.route === firstOfOperator) await enterAdminSecret(screen)
    addresses.add(screen.page.url())
  }
  return addresses
}

/** The screens of another project that have the bar of the draft although nothing in it differs from what is live. */
async function withoutDraft(): Promise<string[]> {
  const path = `/auth/v1/tenants/${installation.tenantId}/projects`
  const projects = await dashboard.call<{ id: string }[]>('GET', path)
  const other = projects.find(({ id }) => id !== installation.projectId)
  return ['settings', 'guardrails'].map(name => `${dashboard.origin}/app/projects/${other?.id}/${name}`)
}
