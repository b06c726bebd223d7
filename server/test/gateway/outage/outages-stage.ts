// Opens a gateway on a Redis of the test, and asks its replicas.
import { onTestFinished } from 'vitest'
import { startRedis } from '../../support/redis.ts'
import { roomFor } from '../../support/slowness.ts'
import { openStage, type Stage, type TestProject } from '../gateway-stage.ts'

export async function openOutage(options: Parameters<typeof openStage>[0] = {}) {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const stage = await openStage({ redisUrl: redis.url, commandTimeoutMs: 1_000, ...options })
  return { redis, stage }
}

export const ask = (stage: Stage, project: TestProject, copy = 0) =>
  stage.call(project, 'GET', '/v1/models', { token: stage.tokenFor(project), copy })
export const statusOf = async (stage: Stage, project: TestProject, copy = 0) => (await ask(stage, project, copy)).status

/** A bound for a busy machine. */
export const within = (calmMs: number) => ({ timeout: roomFor(5 * calmMs), interval: 50 })
