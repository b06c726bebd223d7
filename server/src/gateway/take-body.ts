// Reads the body of a request that costs tokens, and about how many. A fault of it is answered only where no switch and no
// suspension has to be told instead. Knows no limits.

import type { TokenEstimate } from '../domain/completion-body.ts'
import { Refusal } from '../domain/errors.ts'
import type { PlaneRequest } from '../http/plane-exchange.ts'
import { type JsonBody, readBody } from '../http/read-body.ts'
import type { ConfigCache } from './config-cache.ts'
import type { ProjectConfig } from './project-config.ts'
import type { GatewayRoute } from './routes.ts'
import type { Switchboard } from './switchboard.ts'

interface TakenBody {
  body: JsonBody | null
  estimate: TokenEstimate | null
}

type Estimator = NonNullable<GatewayRoute['estimate']>
type TakeBody = (estimate: Estimator, request: PlaneRequest, config: ProjectConfig) => Promise<TakenBody>

const timeoutMs = 30_000

export const noBody: TakenBody = { body: null, estimate: null }

export function createTakeBody(parts: { switches: Switchboard; configs: ConfigCache; maxBytes: number }): TakeBody {
  const { switches, configs, maxBytes } = parts
  const limits = { maxBytes, timeoutMs }
  return async (estimate, request, config) => {
    try {
      const body = await readBody(request, limits)
      const checked = estimate(body.value)
      if (checked.ok) return { body, estimate: checked.estimate }
      const { message, param } = checked
      throw new Refusal('invalid_request', param === null ? { message } : { message, param })
    } catch (fault) {
      const [{ status }] = await Promise.all([
        configs.getWithin(config.project, 0),
        switches.refuseIfOn(config.project, 0),
      ])
      if (status === 'suspended') throw new Refusal('traffic_suspended', { cause: fault })
      throw fault
    }
  }
}
