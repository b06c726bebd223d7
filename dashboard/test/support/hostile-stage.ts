// A dashboard over the installation whose texts are all hostile, with a simulated provider.
import { startSimulatedProvider } from '../../../server/src/demo/simulated-provider.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { type HostileInstallation, seedHostileTexts } from './hostile-installation.ts'
import { adminSecret } from './stage.ts'

export interface HostileStage {
  dashboard: Dashboard
  installation: HostileInstallation
  stop: () => Promise<void>
}

export async function startHostileStage(): Promise<HostileStage> {
  const provider = await startSimulatedProvider()
  const dashboard = await startDashboard({
    ADMIN_SECRET: adminSecret,
    OPENAI_BASE_URL: provider.baseUrl,
    OUTBOUND_ALLOW: new URL(provider.baseUrl).host,
    PLATFORM_OPENAI_API_KEY: 'sk-simulated-key-of-this-test',
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
  })
  const stop = async () => {
    await dashboard.stop()
    await provider.close()
  }
  try {
    return { dashboard, installation: await seedHostileTexts(dashboard, provider.baseUrl), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
