// Reads the body of a request that costs tokens, about how many, and what it asks for where whoever answers can say so now. A
// fault of it is answered only where no switch and no suspension has to be told instead. Knows no limits.

import type { Verified } from '../domain/caller.ts'
import type { TokenEstimate } from '../domain/conversation/token-estimate.ts'
import { Refusal } from '../domain/errors.ts'
import type { PlaneRequest } from '../http/exchange.ts'
import type { InferencePort, ReadyAnswer } from '../http/inference-port.ts'
import { type JsonBody, readBody } from '../http/read-body.ts'
import type { ConfigCache } from './config-cache.ts'
import type { KillSwitchState } from './kill-switches.ts'
import type { ProjectConfig } from './project-config.ts'
import type { GatewayRoute } from './routes.ts'

interface TakenBody {
  body: JsonBody | null
  estimate: TokenEstimate | null
  /** Null where the call is for the port to read as a whole. */
  ready: ReadyAnswer | null
}

type TakeBody = (
  route: GatewayRoute,
  verified: Verified,
  request: PlaneRequest,
  config: ProjectConfig,
) => TakenBody | Promise<TakenBody>

interface TakeBodyParts {
  switches: KillSwitchState
  configs: ConfigCache
  port: Pick<InferencePort, 'prepare'>
  maxBytes: number
}

const noBody: TakenBody = { body: null, estimate: null, ready: null }

export function createTakeBody(parts: TakeBodyParts): TakeBody {
  const { switches, configs, port, maxBytes } = parts
  const limits = { maxBytes }
  const read = (request: PlaneRequest) => readBody(request, limits)

  /** A fault of the body, unless there is something else to tell first. */
  async function refuseBody(fault: unknown, { project }: ProjectConfig): Promise<never> {
    const [{ status }] = await Promise.all([configs.getWithin(project, 0), switches.refuseIfOn(project, 0)])
    if (status === 'suspended') throw new Refusal('traffic_suspended', { cause: fault })
    throw fault
  }

  function weigh(body: JsonBody, { estimate, pattern }: CostlyRoute, verified: Verified): TakenBody {
    const checked = estimate(body.value)
    if (checked.ok) {
      const ready = port.prepare === undefined ? null : port.prepare(pattern, body, verified)
      return { body, estimate: checked.estimate, ready }
    }
    const { message, param } = checked
    throw new Refusal('invalid_request', param === null ? { message } : { message, param })
  }

  async function takeLater(
    route: CostlyRoute,
    verified: Verified,
    reading: Promise<JsonBody>,
    config: ProjectConfig,
  ): Promise<TakenBody> {
    try {
      return weigh(await reading, route, verified)
    } catch (fault) {
      return await refuseBody(fault, config)
    }
  }

  return (route, verified, request, config) => {
    if (!isCostly(route)) return noBody
    try {
      const body = read(request)
      return body instanceof Promise ? takeLater(route, verified, body, config) : weigh(body, route, verified)
    } catch (fault) {
      return refuseBody(fault, config)
    }
  }
}

type CostlyRoute = GatewayRoute & { estimate: NonNullable<GatewayRoute['estimate']> }

function isCostly(route: GatewayRoute): route is CostlyRoute {
  return route.estimate !== null
}
