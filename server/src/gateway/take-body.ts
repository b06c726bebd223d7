// Reads the body of a request that costs tokens, and about how many. A fault of it is answered only where no switch and no
// suspension has to be told instead. Knows no limits.

import type { TokenEstimate } from '../domain/completion-body.ts'
import { Refusal } from '../domain/errors.ts'
import { PlainRequest } from '../http/plain-request.ts'
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
type TakeBody = (estimate: Estimator, request: PlaneRequest, config: ProjectConfig) => TakenBody | Promise<TakenBody>

export const noBody: TakenBody = { body: null, estimate: null }

export function createTakeBody(parts: { switches: Switchboard; configs: ConfigCache; maxBytes: number }): TakeBody {
  const { switches, configs, maxBytes } = parts
  const limits = { maxBytes }
  const read = (request: PlaneRequest) => readBody(request, limits)

  /** A fault of the body, unless there is something else to tell first. */
  async function refuseBody(fault: unknown, { project }: ProjectConfig): Promise<never> {
    const [{ status }] = await Promise.all([configs.getWithin(project, 0), switches.refuseIfOn(project, 0)])
    if (status === 'suspended') throw new Refusal('traffic_suspended', { cause: fault })
    throw fault
  }

  async function takeLater(estimate: Estimator, reading: Promise<JsonBody>, config: ProjectConfig): Promise<TakenBody> {
    try {
      return weigh(await reading, estimate)
    } catch (fault) {
      return await refuseBody(fault, config)
    }
  }

  return (estimate, request, config) => {
    // The runtime tells of a request before it has parsed the body that came along; a moment later it lies there whole.
    if (!(request instanceof PlainRequest)) return takeLater(estimate, Promise.resolve(request).then(read), config)
    try {
      const body = read(request)
      return body instanceof Promise ? takeLater(estimate, body, config) : weigh(body, estimate)
    } catch (fault) {
      return refuseBody(fault, config)
    }
  }
}

function weigh(body: JsonBody, estimate: Estimator): TakenBody {
  const checked = estimate(body.value)
  if (checked.ok) return { body, estimate: checked.estimate }
  const { message, param } = checked
  throw new Refusal('invalid_request', param === null ? { message } : { message, param })
}
