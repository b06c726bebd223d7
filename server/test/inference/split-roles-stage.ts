// Starts a gateway and an inference service as two processes on one database and one store, beside the product of the
// stage, which is one process.
import { type Product, startProduct } from '../support/start-product.ts'
import { openStage, type Stage, type TestProject } from './inference-stage.ts'

export const internalSecret = 'a-secret-between-two-services'
const patience = { UPSTREAM_TIMEOUT: '5', UPSTREAM_IDLE_TIMEOUT: '5', UPSTREAM_TOTAL_TIMEOUT: '20' }

export interface SplitRoles {
  stage: Stage
  project: TestProject
  inference: Product
  gateway: Product
  stop(): Promise<void>
}

export async function startSplitRoles(): Promise<SplitRoles> {
  const stage = await openStage('postgres', { INTERNAL_SECRET: internalSecret, ...patience }, { own: true })
  const { env } = stage.harness
  const common = { ...env, BASE_URL: stage.harness.baseUrl }
  const inference = await startProduct({ env: { ...common, ROLE: 'inference' } })
  const gateway = await startProduct({
    env: {
      ...common,
      ROLE: 'gateway',
      INFERENCE_URL: inference.baseUrl,
      API_URL: stage.harness.baseUrl,
      JWKS_URL: `${stage.harness.baseUrl}/.well-known/jwks.json`,
      JWT_ISSUER: `http://localhost:${stage.harness.product.port}`,
    },
  })
  const project = await stage.makeProject({ settings: { tokens_per_day: 1_000_000 } })
  const stop = async (): Promise<void> => {
    await Promise.all([gateway.stop(), inference.stop()])
    await stage.stop()
  }
  return { stage, project, inference, gateway, stop }
}
